// take_along_dim(self, indices, dim): out[i][j] = self[indices[i][j]][j] for dim = 0, and so on.
// Self and indices broadcast together in all dimensions except dim. Without dim both are flattened
// first, and the result is one-dimensional.
// https://pytorch.org/docs/stable/generated/torch.take_along_dim.html
//
// Agreement: exact for every dtype, since elements are only moved. Indices are int64; with a dim,
// negative ones wrap.
//
// Some cases are neither drawn nor against a rule, since they are not documented: negative indices
// without dim (ATen refuses them), int32 indices without dim (ATen accepts them, but not with a
// dim), a dim for tensors of rank 0 (ATen refuses it, although gather accepts it), and an index out
// of range that is not used, since another dimension of the result is empty.

#include "case/broadcast.h"
#include "case/walk.h"
#include "ops/definition/operator.h"
#include "ops/families/moves.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndices = 1;
constexpr int kDim = 0;

constexpr OperandSpec kOperands[] = {{"self", Role::kValue},
                                     {.name = "indices", .role = Role::kIndex, .any_shape = true}};
constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kOptionalDim}};
constexpr Parameter kParameters[] = {operand(kSelf), operand(kIndices), attribute(kDim)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "take_along_dim", "", "torch.take_along_dim({self}, {indices}, {dim})",
     "at::take_along_dim({self}, {indices}, {dim})"},
    {Variant::kOut, "take_along_dim", "out",
     "torch.take_along_dim({self}, {indices}, {dim}, out={out})",
     "at::take_along_dim_out({out}, {self}, {indices}, {dim})"},
};
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

bool flattens(const Case& c) {
  return c.attributes[kDim] == kNoInt;
}

/// The dimension that a legal case that does not flatten names, counted from the front.
std::size_t dim_of(const Case& c) {
  return static_cast<std::size_t>(wrapped_dim(c.attributes[kDim], rank(c.operands[kSelf].shape)));
}

std::int64_t index_bound(const Case& c, int) {
  const Dims& self = c.operands[kSelf].shape;
  return flattens(c) ? numel(self) : size_at(self, wrapped_dim(c.attributes[kDim], rank(self)));
}

ResultSpec result(const Case& c) {
  const Operand& self = c.operands[kSelf];
  const Dims& indices = c.operands[kIndices].shape;
  if (flattens(c)) return {{numel(indices)}, self.dtype};
  Dims shape = broadcast_shape(self.shape, indices);
  shape[dim_of(c)] = indices[dim_of(c)];
  return {shape, self.dtype};
}

/// Gives indices self's rank and sizes that broadcast with self's in all dimensions except dim,
/// such that the result fits the limits.
void fit_along_dim(Case& c, const Limits& limits) {
  const Dims& self = c.operands[kSelf].shape;
  Dims& indices = c.operands[kIndices].shape;
  const std::size_t dim = dim_of(c);
  set_rank(indices, rank(self));
  for (std::size_t d = 0; d < self.size(); ++d) {
    if (d != dim && indices[d] != 1 && self[d] != 1) indices[d] = self[d];
  }
  // A kernel may make a dense copy of the broadcast self.
  Limits for_copy = limits;
  for_copy.max_elements = kMostElements;
  const auto fits = [&] {
    Dims copy = broadcast_shape(self, indices);
    copy[dim] = self[dim];
    return is_within(result(c).shape, limits) && is_within(copy, for_copy);
  };
  if (!fits()) {
    for (std::size_t d = 0; d < self.size(); ++d) {
      if (d != dim) indices[d] = 1;
    }
    while (!fits()) indices[dim] /= 2;
  }
  if (self[dim] == 0 && numel(indices) != 0) indices[dim] = 0;
}

void repair_take_along_dim(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& indices = c.operands[kIndices];
  clamp_dtype(self.dtype, limits.dtypes);
  indices.dtype = Dtype::kInt64;
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  clamp_shape(indices.shape, limits.max_rank, limits.max_elements);
  if (self.shape.empty()) c.attributes[kDim] = kNoInt;
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(indices.fill, FillFamily::kIndex);
  if (flattens(c)) {
    if (numel(self.shape) == 0) clamp_to_nothing(indices.shape);
    indices.fill.negatives = Negatives::kNone;
  } else {
    clamp_dim(c.attributes[kDim], rank(self.shape));
    fit_along_dim(c, limits);
  }
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  const Operand& self = c.operands[kSelf];
  const std::byte* source = input.operands[kSelf].data;
  const IndexReader index(input, kIndices);
  if (flattens(c)) {
    move_elements(self.dtype, destination, source, [&](auto* to, const auto* from) {
      for (std::int64_t i = 0; i < index.count(); ++i) to[i] = from[index[i]];
    });
    return;
  }
  const Dims shape = result(c).shape;
  const std::size_t dim = dim_of(c);
  const std::int64_t size = self.shape[dim], stride = row_major_strides(self.shape)[dim];
  Dims self_strides = broadcast_strides(self.shape, rank(shape));
  self_strides[dim] = 0;
  const Dims index_strides = broadcast_strides(c.operands[kIndices].shape, rank(shape));
  move_elements(self.dtype, destination, source, [&](auto* to, const auto* from) {
    for_each_element(
        shape,
        [&](std::int64_t i, std::int64_t beside, std::int64_t which) {
          const std::int64_t named = index[which];
          to[i] = from[beside + (named < 0 ? named + size : named) * stride];
        },
        self_strides, index_strides);
  });
}

bool selects_something(const Case& c) {
  return numel(result(c).shape) > 0;
}

/// Without dim ATen does not require int64, and an empty index may have any dtype.
bool reads_index_dtype(const Case& c) {
  return !flattens(c) || selects_something(c);
}

bool mismatch_indices(Case& c) {
  if (flattens(c)) return false;
  const Dims& self = c.operands[kSelf].shape;
  Operand& indices = c.operands[kIndices];
  for (std::size_t d = 0; d < self.size(); ++d) {
    if (d == dim_of(c) || self[d] == 1) continue;
    resize_dimension(indices, d, another_size(self[d]));
    return true;
  }
  return false;
}

/// Applies only if self is not expanded: ATen checks the overlap after it has broadcast self, and
/// cannot decide it for an expanded tensor.
bool share_self(Case& c) {
  if (c.variant != Variant::kOut) return false;
  if (!flattens(c)) {
    Dims shape = result(c).shape;
    shape[dim_of(c)] = c.operands[kSelf].shape[dim_of(c)];
    if (shape != c.operands[kSelf].shape) return false;
  }
  return share_memory(c, kSelf);
}

constexpr IllegalRule kRules[] = {
    {1, "index_below",
     [](Case& c) {
       return selects_something(c) && poke_index(c, kIndices, -index_bound(c, kIndices) - 1);
     }},
    {2, "index_above",
     [](Case& c) {
       return selects_something(c) && poke_index(c, kIndices, index_bound(c, kIndices));
     }},
    {3, "index_dtype",
     [](Case& c) { return reads_index_dtype(c) && become_floating(c, kIndices); }},
    {4, "indices_rank",
     [](Case& c) {
       return !flattens(c) && add_dimension(c, kIndices, rank(c.operands[kSelf].shape) + 1);
     }},
    {5, "indices_shape", mismatch_indices},
    {6, "dim_above", [](Case& c) { return !flattens(c) && dim_above(c); }},
    {7, "out_dtype", change_out_dtype},
    {8, "out_overlaps_itself", overlap_written},
    {9, "out_is_self", share_self},
    {10, "self_empty",
     [](Case& c) {
       return selects_something(c) && !flattens(c) && empty_dimension(c, kSelf, dim_of(c));
     },
     kByValue},
    {11, "dim_below", [](Case& c) { return !flattens(c) && dim_below(c); }},
    {12, "indices_rank_lower",
     [](Case& c) {
       return !flattens(c) && numel(c.operands[kIndices].shape) > 0 &&
              remove_dimension(c, kIndices, 1);
     }},
    {13, "index_dtype_narrow",
     [](Case& c) { return reads_index_dtype(c) && become_narrow(c, kIndices); }, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 16,
    .name = "take_along_dim",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_take_along_dim,
    .result = result,
    .index_bound = index_bound,
    .table =
        [](const Case& c) {
          const int dims = rank(c.operands[kSelf].shape);
          const bool is_along_first =
              flattens(c) ? dims == 1 : wrapped_dim(c.attributes[kDim], dims) == 0;
          return is_along_first && dims > 0 ? TableUse{kSelf, kIndices} : TableUse{};
        },
    .wraps_negative_indices = true,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
