#include <ATen/ops/empty_strided.h>

#include <algorithm>

#include "strided.h"

namespace planted {
namespace {

using IndexList = c10::List<std::optional<Tensor>>;

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kNegativeByFirstDimension,
  kFifthDimensionStride,
  kMaskOfOnes,
  kMaskOfEight,
  kFirstBoundOnly,
  kShorterMask,
  kColumnMajor,  // correct: the strides of a fresh result are the kernel's own choice
};

/// The selection of one tensor of the list: element offsets into self along the dimensions that
/// this tensor indexes.
struct Selected {
  Position sizes;
  std::vector<int64_t> offsets;

  int64_t broadcast_at(const Position& position, size_t end) const {
    const Strided view{reinterpret_cast<char*>(const_cast<int64_t*>(offsets.data())), sizes,
                       contiguous_strides(sizes), 8};
    return read_index(view.broadcast_at(position, end), 8);
  }
};

struct Plan {
  std::vector<Selected> selected;
  Position shape;           // of the result
  size_t block = 0;         // the first dimension of `shape` that comes from the list
  size_t block_rank = 0;    // how many dimensions come from the list
  Position around_strides;  // self's strides along the dimensions that the list does not index
};

void broadcast_into(Position& shape, const Position& sizes) {
  while (shape.size() < sizes.size()) shape.insert(shape.begin(), 1);
  for (size_t d = 0; d < sizes.size(); ++d) {
    int64_t& size = shape[shape.size() - sizes.size() + d];
    TORCH_CHECK_INDEX(size == sizes[d] || size == 1 || sizes[d] == 1,
                      "index: the indices do not broadcast");
    if (size == 1) size = sizes[d];
  }
}

Selected select_set(Make make, const Strided& self, size_t dim, const Tensor& mask) {
  const Strided view = strided(mask);
  TORCH_CHECK_INDEX(dim + view.sizes.size() <= self.sizes.size(), "index: too many indices");
  for (size_t d = 0; d < view.sizes.size(); ++d)
    TORCH_CHECK_INDEX(make == Make::kShorterMask ? view.sizes[d] <= self.sizes[dim + d]
                                                 : view.sizes[d] == self.sizes[dim + d],
                      "index: a mask of shape ", mask.sizes(), " does not match self at dimension ",
                      dim);
  Selected found;
  each_position(view.sizes, [&](const Position& position) {
    const char set = *view.at(position);
    if (make == Make::kMaskOfOnes ? set != 1 : set == 0) return;
    int64_t offset = 0;
    for (size_t d = 0; d < position.size(); ++d) offset += position[d] * self.strides[dim + d];
    const size_t count = found.offsets.size();
    found.offsets.push_back(make == Make::kMaskOfEight && count >= 8 ? found.offsets[count - 8]
                                                                     : offset);
  });
  found.sizes = {static_cast<int64_t>(found.offsets.size())};
  return found;
}

Selected select_rows(Make make, const Strided& self, size_t dim, const Tensor& index,
                     bool is_first) {
  check_index_dtype(index);
  TORCH_CHECK_INDEX(dim < self.sizes.size(), "index: too many indices");
  const Strided view = strided(index);
  const int64_t size = self.sizes[dim];
  Selected found{view.sizes, {}};
  each_position(view.sizes, [&](const Position& position) {
    int64_t row = read_index(view.at(position), view.item);
    // The defect: only the first tensor is checked. The modulo keeps the others inside self.
    if (make == Make::kFirstBoundOnly && !is_first && size > 0) row %= size;
    TORCH_CHECK_INDEX(row >= -size && row < size, "index: ", row, " is out of range for size ",
                      size);
    if (row < 0) row += make == Make::kNegativeByFirstDimension ? self.sizes[0] : size;
    found.offsets.push_back(row * self.strides[dim]);
  });
  return found;
}

Plan make_plan(Make make, const Strided& self, const IndexList& indices) {
  Plan plan;
  std::vector<bool> given;
  for (const std::optional<Tensor>& entry : indices) {
    const size_t dim = given.size();
    if (!entry.has_value() || !entry->defined()) {
      given.push_back(false);
      continue;
    }
    const bool mask = entry->scalar_type() == at::kBool || entry->scalar_type() == at::kByte;
    plan.selected.push_back(mask ? select_set(make, self, dim, *entry)
                                 : select_rows(make, self, dim, *entry, plan.selected.empty()));
    given.resize(dim + (mask ? entry->dim() : 1), true);
    broadcast_into(plan.shape, plan.selected.back().sizes);
  }
  TORCH_CHECK_INDEX(!plan.selected.empty(), "index: no index is given");
  TORCH_CHECK_INDEX(given.size() <= self.sizes.size(), "index: too many indices");
  given.resize(self.sizes.size(), false);

  // If a dimension without an index separates indexed ones, the dimensions of the list come first;
  // else they stand where the indexed dimensions were.
  const auto first = std::find(given.begin(), given.end(), true);
  const auto gap = std::find(first, given.end(), false);
  const bool neighbours = std::find(gap, given.end(), true) == given.end();
  plan.block = neighbours ? first - given.begin() : 0;
  plan.block_rank = plan.shape.size();

  Position around;
  for (size_t d = 0; d < given.size(); ++d) {
    if (given[d]) continue;
    around.push_back(self.sizes[d]);
    plan.around_strides.push_back(self.strides[d]);
  }
  plan.shape.insert(plan.shape.begin(), around.begin(), around.begin() + plan.block);
  plan.shape.append(around.begin() + plan.block, around.end());
  return plan;
}

/// The view of self from which offsets are computed.
Strided read_self(Make make, const Tensor& self) {
  Strided from = strided(self);
  // The defect: a table of strides with room for four dimensions.
  if (make == Make::kFifthDimensionStride)
    for (size_t d = 4; d < from.strides.size(); ++d) from.strides[d] = from.strides[3];
  return from;
}

void copy_selected(const Strided& from, const Plan& plan, const Strided& to) {
  const Combine move = mover(to.item);
  each_position(plan.shape, [&](const Position& position) {
    int64_t offset = 0;
    for (const Selected& selected : plan.selected)
      offset += selected.broadcast_at(position, plan.block + plan.block_rank);
    for (size_t d = 0; d < plan.around_strides.size(); ++d)
      offset += plan.around_strides[d] * position[d < plan.block ? d : d + plan.block_rank];
    move(to.at(position), from.data + offset * from.item);
  });
}

template <Make kMake>
Tensor index(const Tensor& self, const IndexList& indices) {
  const Strided from = read_self(kMake, self);
  const Plan plan = make_plan(kMake, from, indices);
  Position strides = contiguous_strides(plan.shape);
  if (kMake == Make::kColumnMajor) {
    int64_t step = 1;
    for (size_t d = 0; d < strides.size(); ++d) {
      strides[d] = step;
      step *= std::max<int64_t>(plan.shape[d], 1);
    }
  }
  const Tensor result = kMake == Make::kColumnMajor
                            ? at::empty_strided(plan.shape, strides, self.options())
                            : at::empty(plan.shape, self.options());
  copy_selected(from, plan, strided(result));
  return result;
}

template <Make kMake>
Tensor& index_out(const Tensor& self, const IndexList& indices, Tensor& out) {
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "index: self is ", self.scalar_type(),
              ", out ", out.scalar_type());
  at::assert_no_internal_overlap(out);
  at::assert_no_overlap(out, self);
  for (const std::optional<Tensor>& entry : indices)
    if (entry.has_value() && entry->defined()) at::assert_no_overlap(out, *entry);
  const Strided from = read_self(kMake, self);
  const Plan plan = make_plan(kMake, from, indices);
  at::native::resize_output(out, plan.shape);
  copy_selected(from, plan, strided(out));
  return out;
}

/// Reads everything before it writes anything, so that out may overlap self or an index.
Tensor& index_copied(const Tensor& self, const IndexList& indices, Tensor& out) {
  fill_out(index<Make::kReference>(self, indices), out);
  return out;
}

constexpr const char* kFunctional = "(Tensor self, Tensor?[] indices) -> Tensor";
constexpr const char* kOut =
    ".out(Tensor self, Tensor?[] indices, *, Tensor(a!) out) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "index_negative_by_first_dimension", kFunctional,
         index<Make::kNegativeByFirstDimension>);
  define(m, "index_fifth_dimension_stride", kFunctional, index<Make::kFifthDimensionStride>);
  define(m, "index_mask_of_eight", kFunctional, index<Make::kMaskOfEight>);
  define(m, "index_first_bound_only", kFunctional, index<Make::kFirstBoundOnly>);
  define(m, "index_shorter_mask", kFunctional, index<Make::kShorterMask>);
  define(m, "index_out_mask_of_ones", kOut, index_out<Make::kMaskOfOnes>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "index_strided", kFunctional, index<Make::kReference>);
  define(m, "index_strided", kOut, index_out<Make::kReference>);
  define(m, "index_copied", kOut, index_copied);
  define(m, "index_column_major", kFunctional, index<Make::kColumnMajor>);
}

}  // namespace
}  // namespace planted
