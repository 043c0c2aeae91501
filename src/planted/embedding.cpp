#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kPaddingAsZeros,
  kNegativePaddingAsZeros,
  kRowsByWidth,
  kIndicesFreed,
  kRowIn32Bits,
};

Tensor embedding_rows(Make make, const Tensor& weight, const Tensor& indices, int64_t padding_idx) {
  TORCH_CHECK(weight.dim() == 2, "embedding: weight has ", weight.dim(), " dimensions, not 2");
  check_index_dtype(indices);
  TORCH_CHECK(make != Make::kRowIn32Bits || weight.is_contiguous(),
              "embedding: weight must be contiguous");
  Strided which = strided(indices);
  Strided from = strided(weight);
  // The defect: rows are assumed to follow one another without a gap.
  if (make == Make::kRowsByWidth) from.strides[0] = from.sizes[1] * from.strides[1];
  // The pointer outlives the tensor that was made for it.
  if (make == Make::kIndicesFreed) which = strided(contiguous_copy(indices));

  Position shape = which.sizes;
  shape.push_back(from.sizes[1]);
  const Tensor result = at::empty(shape, weight.options());
  const Strided to = strided(result);
  const Combine move = mover(to.item);
  each_position(to.sizes, [&](const Position& position) {
    const Position index(position.begin(), position.end() - 1);
    const int64_t row = read_index(which.at(index), which.item);
    TORCH_CHECK_INDEX(row >= 0 && row < from.sizes[0], "embedding: index ", row,
                      " is out of range for ", from.sizes[0], " rows");
    const char* source = from.at({row, position.back()});
    // The defect: the place of a row in a large weight does not fit.
    if (make == Make::kRowIn32Bits)
      source =
          from.data + (static_cast<int32_t>(row * from.sizes[1]) + position.back()) * from.item;
    move(to.at(position), source);
    // The defect takes the padding row for zeros. It is initialized so, but may hold any values.
    const bool is_padding = (make == Make::kPaddingAsZeros && row == padding_idx) ||
                            (make == Make::kNegativePaddingAsZeros && padding_idx < -1 &&
                             row == padding_idx + from.sizes[0]);
    if (is_padding) std::memset(to.at(position), 0, static_cast<size_t>(to.item));
  });
  return result;
}

template <Make kMake>
Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx,
                 bool /*scale_grad_by_freq*/, bool /*sparse*/) {
  return embedding_rows(kMake, weight, indices, padding_idx);
}

template <Make kMake>
Tensor& embedding_out(const Tensor& weight, const Tensor& indices, int64_t padding_idx,
                      bool /*scale_grad_by_freq*/, bool /*sparse*/, Tensor& out) {
  fill_out(embedding_rows(kMake, weight, indices, padding_idx), out);
  return out;
}

constexpr const char* kFunctional =
    "(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, "
    "bool sparse=False) -> Tensor";
constexpr const char* kOut =
    ".out(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, "
    "bool sparse=False, *, Tensor(a!) out) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "embedding_padding_as_zeros", kFunctional, embedding<Make::kPaddingAsZeros>);
  define(m, "embedding_negative_padding_as_zeros", kFunctional,
         embedding<Make::kNegativePaddingAsZeros>);
  define(m, "embedding_rows_by_width", kFunctional, embedding<Make::kRowsByWidth>);
  define(m, "embedding_indices_freed", kFunctional, embedding<Make::kIndicesFreed>);
  define(m, "embedding_row_in_32_bits", kFunctional, embedding<Make::kRowIn32Bits>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "embedding_strided", kFunctional, embedding<Make::kReference>);
  define(m, "embedding_strided", kOut, embedding_out<Make::kReference>);
}

}  // namespace
}  // namespace planted
