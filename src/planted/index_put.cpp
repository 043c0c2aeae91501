#include <unordered_set>

#include "strided.h"

namespace planted {
namespace {

using IndexList = c10::List<std::optional<Tensor>>;

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kNegativeNotWrapped,
  kWrapsCallersIndex,
  kMaskStrideIgnored,
  kMaskOnLastDimension,
  kEmptyMaskAssert,
  kFillsExtent,
  kDuplicateLost,
  kValuesFromLeft,
  kGapNotInFront,
  kOutOffsetIgnored,
  kFirstWins,  // correct: without accumulate any of the duplicates may win
};

/// The positions along one dimension of self; none if `given` is false. A mask of rank k gives k of
/// these.
struct Rows {
  bool given = false;
  Position sizes;
  std::vector<int64_t> values;

  Strided view() const {
    return {reinterpret_cast<char*>(const_cast<int64_t*>(values.data())), sizes,
            contiguous_strides(sizes), 8};
  }
};

/// What an index list selects.
struct Plan {
  std::vector<Rows> rows;  // one per dimension of self
  Position shape;          // what the values broadcast to
  size_t block = 0;        // the first dimension of `shape` that comes from the index tensors
  size_t block_rank = 0;
  bool fills_all = false;  // the only index is a mask, and it is true everywhere
};

bool expandable(const Position& sizes, const Position& shape, size_t end) {
  if (sizes.size() > end) return false;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] != 1 && sizes[d] != shape[end - sizes.size() + d]) return false;
  return true;
}

void broadcast_into(Position& shape, const Position& sizes) {
  while (shape.size() < sizes.size()) shape.insert(shape.begin(), 1);
  for (size_t d = 0; d < sizes.size(); ++d) {
    int64_t& size = shape[shape.size() - sizes.size() + d];
    TORCH_CHECK_INDEX(size == sizes[d] || size == 1 || sizes[d] == 1,
                      "index_put: the indices do not broadcast");
    if (size == 1) size = sizes[d];
  }
}

/// Appends the positions of the set mask elements: one entry of `rows` per dimension of the mask.
void append_mask(Make make, const Tensor& self, const Tensor& mask, Plan& plan) {
  Strided view = strided(mask);
  const size_t first = plan.rows.size();
  TORCH_CHECK_INDEX(first + view.sizes.size() <= self.sizes().size(),
                    "index_put: too many indices");
  for (size_t d = 0; d < view.sizes.size(); ++d)
    TORCH_CHECK_INDEX(view.sizes[d] == self.size(static_cast<int64_t>(first + d)),
                      "index_put: mask of shape ", mask.sizes(), " does not match self of shape ",
                      self.sizes(), " at dimension ", first);
  if (make == Make::kMaskStrideIgnored) view.strides = contiguous_strides(view.sizes);

  std::vector<Rows> found(view.sizes.size());
  int64_t count = 0;
  each_position(view.sizes, [&](const Position& position) {
    if (*view.at(position) == 0) return;
    ++count;
    for (size_t d = 0; d < found.size(); ++d) found[d].values.push_back(position[d]);
  });
  if (make == Make::kEmptyMaskAssert && self.numel() > 0) TORCH_INTERNAL_ASSERT(count > 0);
  for (Rows& rows : found) {
    rows.given = true;
    rows.sizes = {count};
    plan.rows.push_back(std::move(rows));
  }
  Position joined = {count};
  broadcast_into(plan.shape, joined);
  plan.fills_all = count == mask.numel();
}

void append_index(Make make, const Tensor& self, const Tensor& index, Plan& plan) {
  check_index_dtype(index);
  TORCH_CHECK_INDEX(plan.rows.size() < self.sizes().size(), "index_put: too many indices");
  const int64_t size = self.size(static_cast<int64_t>(plan.rows.size()));
  const Strided view = strided(index);
  Rows rows{true, view.sizes, {}};
  each_position(view.sizes, [&](const Position& position) {
    int64_t row = read_index(view.at(position), view.item);
    TORCH_CHECK_INDEX(row >= -size && row < size, "index_put: index ", row,
                      " is out of range for size ", size);
    if (row < 0 && make != Make::kNegativeNotWrapped) row += size;
    // Little-endian: the low bytes of an int64 are the int32.
    if (make == Make::kWrapsCallersIndex) std::memcpy(view.at(position), &row, view.item);
    rows.values.push_back(row);
  });
  plan.rows.push_back(std::move(rows));
  broadcast_into(plan.shape, view.sizes);
}

Plan make_plan(Make make, const Tensor& self, const IndexList& indices) {
  TORCH_CHECK_INDEX(static_cast<int64_t>(indices.size()) <= self.dim(),
                    "index_put: too many indices");
  Plan plan;
  size_t given = 0;
  for (const std::optional<Tensor>& entry : indices) {
    const bool present = entry.has_value() && entry->defined();
    if (!present) {
      TORCH_CHECK_INDEX(plan.rows.size() < self.sizes().size(), "index_put: too many indices");
      plan.rows.emplace_back();
      continue;
    }
    ++given;
    const bool mask = entry->scalar_type() == at::kBool || entry->scalar_type() == at::kByte;
    // The defect: a mask vector that fits the last dimension too is applied to that one, aligned
    // from the right as values are.
    if (make == Make::kMaskOnLastDimension && mask && indices.size() == 1 && entry->dim() == 1 &&
        entry->size(0) == self.size(0) && entry->size(0) == self.size(-1))
      plan.rows.resize(self.sizes().size() - 1);
    mask ? append_mask(make, self, *entry, plan) : append_index(make, self, *entry, plan);
  }
  TORCH_CHECK_INDEX(given > 0, "index_put: no index is given");
  if (given != 1) plan.fills_all = false;
  plan.rows.resize(self.sizes().size());

  // If a dimension without an index separates indexed ones, the dimensions of the list come first;
  // else they stand where the indexed dimensions were.
  size_t first = 0, past = plan.rows.size();
  while (first < past && !plan.rows[first].given) ++first;
  if (first == past) first = 0;
  while (past > first && !plan.rows[past - 1].given) --past;
  bool adjacent = true;
  for (size_t d = first; d < past; ++d) adjacent = adjacent && plan.rows[d].given;
  plan.block = adjacent || make == Make::kGapNotInFront ? first : 0;
  plan.block_rank = plan.shape.size();

  Position around;
  for (size_t d = 0; d < plan.rows.size(); ++d)
    if (!plan.rows[d].given) around.push_back(self.size(static_cast<int64_t>(d)));
  plan.shape.insert(plan.shape.begin(), around.begin(), around.begin() + plan.block);
  plan.shape.append(around.begin() + plan.block, around.end());
  return plan;
}

void fill_extent(const Strided& to, const char* value) {
  int64_t last = 0;
  for (size_t d = 0; d < to.sizes.size(); ++d) {
    if (to.sizes[d] == 0) return;
    last += (to.sizes[d] - 1) * to.strides[d];
  }
  for (int64_t offset = 0; offset <= last; ++offset)
    std::memcpy(to.data + offset * to.item, value, to.item);
}

/// Writes the values into `to`, which holds self.
void put_elements(Make make, const Strided& to, at::ScalarType dtype, const Plan& plan,
                  const Tensor& values, bool accumulate) {
  const Strided from = strided(values);
  size_t end = plan.shape.size();
  if (make == Make::kValuesFromLeft && expandable(from.sizes, plan.shape, from.sizes.size()))
    end = from.sizes.size();
  TORCH_CHECK(expandable(from.sizes, plan.shape, end), "index_put: values of shape ",
              values.sizes(), " do not broadcast to ", at::IntArrayRef(plan.shape));
  const Combine move = mover(to.item);
  const Combine put = accumulate ? adder(dtype) : move;
  if (make == Make::kFillsExtent && plan.fills_all && !accumulate && values.numel() == 1)
    return fill_extent(to, from.data);

  std::vector<Strided> rows;
  for (const Rows& row : plan.rows) rows.push_back(row.view());
  std::unordered_set<char*> written;
  each_position(plan.shape, [&](const Position& position) {
    Position target(plan.rows.size());
    size_t around = 0;
    for (size_t d = 0; d < target.size(); ++d) {
      if (plan.rows[d].given) {
        target[d] = read_index(rows[d].broadcast_at(position, plan.block + plan.block_rank), 8);
      } else {
        target[d] = position[around < plan.block ? around : around + plan.block_rank];
        ++around;
      }
    }
    char* element = to.at(target);
    const bool again = (make == Make::kDuplicateLost || make == Make::kFirstWins) &&
                       !written.insert(element).second;
    if (again && make == Make::kFirstWins && !accumulate) return;
    (again && make == Make::kDuplicateLost ? move : put)(element, from.broadcast_at(position, end));
  });
}

void check_written(const Tensor& written, const IndexList& indices, const Tensor& values) {
  TORCH_CHECK(written.scalar_type() == values.scalar_type(), "index_put: self is ",
              written.scalar_type(), ", values ", values.scalar_type());
  // ATen still lets an expanded self pass, with a warning that this is deprecated.
  at::assert_no_internal_overlap(written);
  at::assert_no_overlap(written, values);
  for (const std::optional<Tensor>& index : indices)
    if (index.has_value() && index->defined()) at::assert_no_overlap(written, *index);
}

template <Make kMake>
Tensor index_put(const Tensor& self, const IndexList& indices, const Tensor& values,
                 bool accumulate) {
  const Tensor result = contiguous_copy(self);
  check_written(result, indices, values);
  put_elements(kMake, strided(result), result.scalar_type(), make_plan(kMake, self, indices),
               values, accumulate);
  return result;
}

template <Make kMake>
Tensor& index_put_in_place(Tensor& self, const IndexList& indices, const Tensor& values,
                           bool accumulate) {
  check_written(self, indices, values);
  put_elements(kMake, strided(self), self.scalar_type(), make_plan(kMake, self, indices), values,
               accumulate);
  return self;
}

template <Make kMake>
Tensor& index_put_out(const Tensor& self, const IndexList& indices, const Tensor& values,
                      bool accumulate, Tensor& out) {
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "index_put: self is ", self.scalar_type(),
              ", out ", out.scalar_type());
  const Plan plan = make_plan(kMake, self, indices);
  at::native::resize_output(out, self.sizes());
  check_written(out, indices, values);
  at::assert_no_partial_overlap(out, self);
  Strided to = strided(out);
  if (kMake == Make::kOutOffsetIgnored) to.data = static_cast<char*>(out.storage().mutable_data());
  copy_elements(strided(self), to);
  put_elements(kMake, to, out.scalar_type(), plan, values, accumulate);
  return out;
}

constexpr const char* kFunctional =
    "(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor";
constexpr const char* kInPlace =
    "(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)";
constexpr const char* kOut =
    ".out(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False, *, Tensor(a!) out) "
    "-> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "index_put_negative_not_wrapped", kFunctional, index_put<Make::kNegativeNotWrapped>);
  define(m, "index_put_wraps_callers_index", kFunctional, index_put<Make::kWrapsCallersIndex>);
  define(m, "index_put_mask_stride_ignored", kFunctional, index_put<Make::kMaskStrideIgnored>);
  define(m, "index_put_mask_on_last_dimension", kFunctional, index_put<Make::kMaskOnLastDimension>);
  define(m, "index_put_empty_mask_assert_", kInPlace, index_put_in_place<Make::kEmptyMaskAssert>);
  define(m, "index_put_fills_extent_", kInPlace, index_put_in_place<Make::kFillsExtent>);
  define(m, "index_put_duplicate_lost", kFunctional, index_put<Make::kDuplicateLost>);
  define(m, "index_put_values_from_left", kFunctional, index_put<Make::kValuesFromLeft>);
  define(m, "index_put_gap_not_in_front_", kInPlace, index_put_in_place<Make::kGapNotInFront>);
  define(m, "index_put_out_offset_ignored", kOut, index_put_out<Make::kOutOffsetIgnored>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "index_put_strided", kFunctional, index_put<Make::kReference>);
  define(m, "index_put_strided_", kInPlace, index_put_in_place<Make::kReference>);
  define(m, "index_put_strided", kOut, index_put_out<Make::kReference>);
  define(m, "index_put_first_wins", kFunctional, index_put<Make::kFirstWins>);
}

}  // namespace
}  // namespace planted
