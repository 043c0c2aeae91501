#include <ATen/ops/zeros.h>

#include <vector>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kPaddingIgnored,
  kSumInFloat,
  kScaledByAll,
  kScaledByPrevious,
  kRowsUnchecked,
};

/// A row of grad_output, by its first element, and the row of the result that it is added to.
struct Addend {
  int64_t row;
  const char* grad;
};

std::vector<Addend> read_addends(const Tensor& grad_output, const Tensor& indices,
                                 int64_t num_weights, bool is_checked = true) {
  check_index_dtype(indices);
  const Strided which = strided(indices), from = strided(grad_output);
  TORCH_CHECK(from.sizes.size() == which.sizes.size() + 1 &&
                  std::equal(which.sizes.begin(), which.sizes.end(), from.sizes.begin()),
              "embedding_dense_backward: grad_output of shape ", grad_output.sizes(),
              " does not fit indices of shape ", indices.sizes());
  std::vector<Addend> addends;
  each_position(which.sizes, [&](Position position) {
    const int64_t row = read_index(which.at(position), which.item);
    TORCH_CHECK_INDEX(!is_checked || (row >= 0 && row < num_weights),
                      "embedding_dense_backward: index ", row, " is out of range for ", num_weights,
                      " rows");
    position.push_back(0);
    addends.push_back({row, from.at(position)});
  });
  return addends;
}

/// Calls visit(element of the result's row, element of grad_output) for each column.
template <class Visit>
void each_column(const Strided& to, const Tensor& grad_output, const Addend& addend,
                 Visit&& visit) {
  const int64_t step = grad_output.strides().back() * to.item;
  for (int64_t k = 0; k < to.sizes[1]; ++k) visit(to.at({addend.row, k}), addend.grad + k * step);
}

void add_in_float(char* to, const char* from) {
  change_element<double>(to, from, [](double value, double other) -> double {
    return static_cast<float>(value) + static_cast<float>(other);
  });
}

template <Make kMake>
Tensor embedding_dense_backward(const Tensor& grad_output, const Tensor& indices,
                                int64_t num_weights, int64_t padding_idx, bool scale_grad_by_freq) {
  const std::vector<Addend> addends =
      read_addends(grad_output, indices, num_weights, kMake != Make::kRowsUnchecked);
  const Tensor result = at::zeros({num_weights, grad_output.size(-1)}, grad_output.options());
  const Strided to = strided(result);
  Combine add = adder(result.scalar_type());
  if (kMake == Make::kSumInFloat && result.scalar_type() == at::kDouble) add = add_in_float;
  std::vector<int64_t> counts(static_cast<size_t>(num_weights), 0);
  for (const Addend& addend : addends) {
    if (scale_grad_by_freq) ++counts[addend.row];
    if (kMake != Make::kPaddingIgnored && addend.row == padding_idx) continue;
    each_column(to, grad_output, addend, add);
  }
  int64_t previous = 0;
  for (int64_t row = 0; scale_grad_by_freq && row < num_weights; ++row) {
    if (counts[row] == 0) continue;
    int64_t divisor = counts[row];
    if (kMake == Make::kScaledByAll) divisor = static_cast<int64_t>(addends.size());
    if (kMake == Make::kScaledByPrevious && previous != 0) divisor = previous;
    result.select(0, row).div_(divisor);
    previous = counts[row];
  }
  return result;
}

template <Make kMake>
Tensor& embedding_dense_backward_out(const Tensor& grad_output, const Tensor& indices,
                                     int64_t num_weights, int64_t padding_idx,
                                     bool scale_grad_by_freq, Tensor& out) {
  fill_out(embedding_dense_backward<kMake>(grad_output, indices, num_weights, padding_idx,
                                           scale_grad_by_freq),
           out);
  return out;
}

/// Sorts the indices. The sum over a segment of equal ones starts with the segment's first row.
Tensor embedding_dense_backward_sorted(const Tensor& grad_output, const Tensor& indices,
                                       int64_t num_weights, int64_t padding_idx,
                                       bool scale_grad_by_freq) {
  std::vector<Addend> addends = read_addends(grad_output, indices, num_weights);
  const auto is_before = [](const Addend& a, const Addend& b) { return a.row < b.row; };
  std::stable_sort(addends.begin(), addends.end(), is_before);
  const Tensor result = at::zeros({num_weights, grad_output.size(-1)}, grad_output.options());
  const Strided to = strided(result);
  const Combine move = mover(to.item), add = adder(result.scalar_type());
  for (auto segment = addends.begin(); segment != addends.end();) {
    const auto end = std::upper_bound(segment, addends.end(), *segment, is_before);
    if (segment->row != padding_idx) {
      for (auto addend = segment; addend != end; ++addend)
        each_column(to, grad_output, *addend, addend == segment ? move : add);
      if (scale_grad_by_freq) result.select(0, segment->row).div_(end - segment);
    }
    segment = end;
  }
  return result;
}

constexpr const char* kFunctional =
    "(Tensor grad_output, Tensor indices, int num_weights, int padding_idx, "
    "bool scale_grad_by_freq) -> Tensor";
constexpr const char* kOut =
    ".out(Tensor grad_output, Tensor indices, int num_weights, int padding_idx, "
    "bool scale_grad_by_freq, *, Tensor(a!) out) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "embedding_dense_backward_padding_ignored", kFunctional,
         embedding_dense_backward<Make::kPaddingIgnored>);
  define(m, "embedding_dense_backward_sum_in_float", kFunctional,
         embedding_dense_backward<Make::kSumInFloat>);
  define(m, "embedding_dense_backward_scaled_by_all", kOut,
         embedding_dense_backward_out<Make::kScaledByAll>);
  define(m, "embedding_dense_backward_scaled_by_previous", kFunctional,
         embedding_dense_backward<Make::kScaledByPrevious>);
  define(m, "embedding_dense_backward_rows_unchecked", kFunctional,
         embedding_dense_backward<Make::kRowsUnchecked>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "embedding_dense_backward_strided", kFunctional,
         embedding_dense_backward<Make::kReference>);
  define(m, "embedding_dense_backward_strided", kOut,
         embedding_dense_backward_out<Make::kReference>);
  define(m, "embedding_dense_backward_sorted", kFunctional, embedding_dense_backward_sorted);
}

}  // namespace
}  // namespace planted
