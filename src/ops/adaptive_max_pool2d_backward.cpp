// adaptive_max_pool2d_backward(grad_output, self, indices): the gradient of a pooling that took the
// largest element of each of several windows of every plane of self, and returned where in the
// plane it lies. To planes of zeros of self's shape, adds element i of a plane of grad_output to
// element indices[i] of the plane at the same place, counted in row-major order.
// https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool2d.html
//
// Agreement: exact; floating point is filled so that every sum is exact in every order. A zero may
// have either sign, since an implementation may multiply what it leaves out by 0. A plane is the
// last two of three or four dimensions; only the first of four may have size 0. Indices are
// int64, of grad_output's shape, never negative, and may lie outside their windows. Where windows
// do not overlap, no two of them name the same element, as none that the pooling returned do: there
// a kernel need not add. The values of self play no part. Floating point of more than 8 bits.
//
// A custom kernel need not refuse an index out of range, since the forward pass has done that, but
// it must not touch memory that is not its own. There is no rule against a grad_input that is
// grad_output, of which nothing is documented.

#include <algorithm>
#include <cstring>

#include "ops/families/planes.h"
#include "ops/illegal.h"
#include "ops/numbers/index_reader.h"
#include "ops/numbers/sums.h"
#include "ops/operator.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settled_sums.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndices = 1, kGrad = 2;
constexpr int kRankOfBatch = 4;

constexpr OperandSpec kOperands[] = {
    {"self", Role::kValue}, {"indices", Role::kIndex}, {"grad_output", Role::kValue}};
constexpr Parameter kParameters[] = {{Parameter::Kind::kOperand, kGrad},
                                     {Parameter::Kind::kOperand, kSelf},
                                     {Parameter::Kind::kOperand, kIndices}};
constexpr Form kForms[] = {
    {Variant::kFunctional, "adaptive_max_pool2d_backward", "",
     "torch.ops.aten.adaptive_max_pool2d_backward({grad_output}, {self}, {indices})",
     "at::adaptive_max_pool2d_backward({grad_output}, {self}, {indices})"},
    {Variant::kOut, "adaptive_max_pool2d_backward", "grad_input",
     "torch.ops.aten.adaptive_max_pool2d_backward.grad_input({grad_output}, {self}, {indices}, "
     "grad_input={out})",
     "at::adaptive_max_pool2d_backward_out({out}, {grad_output}, {self}, {indices})"},
};
constexpr Overload kOverloads[] = {{"", kOperands, {}, kParameters, kForms}};

std::int64_t plane_of_self(const Case& c) {
  return plane_size(c.operands[kSelf].shape);
}
std::int64_t plane_of_grad(const Case& c) {
  return plane_size(c.operands[kGrad].shape);
}

/// Whether the windows divide a plane of self without a rest.
bool has_windows_apart(const Case& c) {
  const Dims &self = c.operands[kSelf].shape, &grad = c.operands[kGrad].shape;
  const std::size_t height = self.size() - 2, width = self.size() - 1;
  return self[height] % grad[height] == 0 && self[width] % grad[width] == 0;
}

/// Makes the indices of a plane, no more than it has elements, name none twice.
void name_each_once(Operand& indices) {
  FillKind& kind = indices.fill.kind;
  if (kind != FillKind::kAscending && kind != FillKind::kDescending) kind = FillKind::kDistinct1;
  indices.fill.repeats = 0;
  for (DimLayout& dim : indices.layout.dims) dim.expanded = dim.slides = false;
}

void repair_adaptive_max_pool2d_backward(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& indices = c.operands[kIndices];
  Operand& grad = c.operands[kGrad];
  clamp_dtype(self.dtype, within(kFloats, limits));
  grad.dtype = self.dtype;
  indices.dtype = Dtype::kInt64;
  give_planes(self.shape, limits);
  const bool is_batch = rank(self.shape) == kRankOfBatch;
  if (!is_batch) self.shape[0] = std::max<std::int64_t>(self.shape[0], 1);
  // Of an index's drawn shape the last two dimensions remain.
  const int drawn = rank(indices.shape);
  const std::int64_t most = limits.max_elements / plane_count(self.shape);
  const std::int64_t height = std::clamp<std::int64_t>(size_at(indices.shape, drawn - 2), 1, most);
  const std::int64_t width =
      std::clamp<std::int64_t>(size_at(indices.shape, drawn - 1), 1, most / height);
  grad.shape = self.shape;
  grad.shape[grad.shape.size() - 2] = height;
  grad.shape.back() = width;
  indices.shape = grad.shape;
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(indices.fill, FillFamily::kIndex);
  clamp_fill(grad.fill, FillFamily::kValue);
  if (has_windows_apart(c) && plane_of_grad(c) > 1) name_each_once(indices);
  Operand zeros = grad;
  settle_sums(zeros, grad, false);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const auto [shape, dtype] = result_like_self(input.c);
  std::memset(destination, 0, static_cast<std::size_t>(numel(shape)) * item_size(dtype));
  const IndexReader index(input, kIndices);
  const std::int64_t from_plane = plane_of_grad(input.c), to_plane = plane_of_self(input.c);
  as_addends(dtype, destination, input.operands[kGrad].data, [&](auto* to, const auto* from) {
    for (std::int64_t i = 0; i < index.count(); ++i)
      to[i / from_plane * to_plane + index[i]].add(from[i]);
  });
}

bool adds_elements(const Case& c) {
  return numel(c.operands[kGrad].shape) > 0;
}

/// Gives grad_output and its indices another size in this dimension.
void resize_grad(Case& c, std::size_t dim, std::int64_t size) {
  for (const int operand : {kGrad, kIndices})
    resize_dimension(c.operands[static_cast<std::size_t>(operand)], dim, size);
}

/// Gives grad_output and its indices so many planes more than self has.
bool change_planes(Case& c, std::int64_t more) {
  const std::int64_t size = c.operands[kGrad].shape[0] + more;
  if (!adds_elements(c) || size == 0) return false;
  resize_grad(c, 0, size);
  return true;
}

/// Gives grad_output and its indices one dimension more than self has or, where a batch lets them,
/// one less.
bool change_rank_of_grad(Case& c) {
  if (!adds_elements(c)) return false;
  if (rank(c.operands[kSelf].shape) < kRankOfBatch)
    return add_dimension(c, kGrad, kRankOfBatch) && add_dimension(c, kIndices, kRankOfBatch);
  return remove_dimension(c, kGrad, kRankOfBatch) && remove_dimension(c, kIndices, kRankOfBatch);
}

/// Gives all operands five dimensions.
bool raise_ranks(Case& c) {
  if (c.variant != Variant::kFunctional) return false;
  for (const int operand : {kSelf, kIndices, kGrad}) add_dimension(c, operand, 5);
  return true;
}

/// Gives all operands two dimensions.
bool lower_ranks(Case& c) {
  if (c.variant != Variant::kFunctional || rank(c.operands[kSelf].shape) != 3) return false;
  for (const int operand : {kSelf, kIndices, kGrad}) remove_dimension(c, operand, 3);
  return true;
}

constexpr IllegalRule kRules[] = {
    {1, "index_below", [](Case& c) { return poke_index(c, kIndices, -1); }, !kByValue, !kATenOnly,
     !kMayBeEmpty, kFree},
    {2, "index_above", [](Case& c) { return poke_index(c, kIndices, plane_of_self(c)); }, !kByValue,
     !kATenOnly, !kMayBeEmpty, kFree},
    {3, "index_dtype", [](Case& c) { return become_floating(c, kIndices); }},
    {4, "indices_shape",
     [](Case& c) {
       Operand& indices = c.operands[kIndices];
       if (!adds_elements(c)) return false;
       resize_dimension(indices, indices.shape.size() - 1, indices.shape.back() + 1);
       return true;
     }},
    {5, "grad_dtype", [](Case& c) { return mismatch_dtype(c, kGrad, kSelf); }},
    {6, "planes_above", [](Case& c) { return change_planes(c, 1); }},
    {7, "planes_below", [](Case& c) { return change_planes(c, -1); }},
    {8, "grad_rank", change_rank_of_grad},
    // A custom kernel may well take planes in any number of dimensions, or pool to nothing.
    {9, "rank_above", raise_ranks, !kByValue, kATenOnly},
    {10, "rank_below", lower_ranks, !kByValue, kATenOnly},
    {11, "grad_empty",
     [](Case& c) {
       if (!adds_elements(c)) return false;
       resize_grad(c, c.operands[kGrad].shape.size() - 1, 0);
       return true;
     },
     !kByValue, kATenOnly},
    // Every index is then out of range.
    {12, "self_empty",
     [](Case& c) { return empty_written_dimension(c, rank(c.operands[kSelf].shape) - 1); },
     kByValue, !kATenOnly, !kMayBeEmpty, kFree},
    {13, "out_dtype", change_out_dtype},
    {14, "out_overlaps_itself", overlap_written},
    {15, "index_dtype_narrow", [](Case& c) { return become_narrow(c, kIndices); }, !kByValue,
     kATenOnly},
};

const OperatorInfo kInfo{
    .number = 45,
    .name = "adaptive_max_pool2d_backward",
    .overloads = kOverloads,
    .rules = kRules,
    .least_rank = 3,
    .repair = repair_adaptive_max_pool2d_backward,
    .result = result_like_self,
    .index_bound = [](const Case& c, int) { return plane_of_self(c); },
    .oracle = oracle,
    .agreement = [](const Case&) { return Agreement::kEitherZero; },
    .terms = [](const Case& c, int) { return plane_of_grad(c); },
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
