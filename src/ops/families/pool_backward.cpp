#include "ops/families/pool_backward.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "ops/families/planes.h"
#include "ops/illegal.h"
#include "ops/numbers/index_reader.h"
#include "ops/numbers/sums.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settled_sums.h"

namespace indexfuzz {
namespace {

constexpr auto kAllOperands = {kPoolSelf, kPoolIndices, kPoolGrad};

int rank_of_batch(const Case& c) {
  return pooled_dims(c) + 2;
}

/// The sizes of a plane, from the outermost dimension on.
std::span<std::int64_t> plane_sizes(Operand& operand, int dims) {
  return std::span(operand.shape.data(), operand.shape.size()).last(static_cast<std::size_t>(dims));
}

std::span<std::int64_t> window_sizes(Case& c) {
  return std::span(c.attributes).first(static_cast<std::size_t>(pooled_dims(c)));
}

/// The sizes of a plane of grad_output as the fractional pooling is told them.
std::span<std::int64_t> output_sizes(Case& c) {
  const std::size_t attributes = overload_of(c).attributes.size();
  return std::span(c.attributes).subspan(attributes / 2, attributes / 2);
}

/// Makes self planes, and gives indices and grad_output as many with the last dimensions of the
/// drawn indices: each at least 1, and at most as large as self's if `no_larger`.
void give_shapes(Case& c, const Limits& limits, bool no_larger) {
  Operand& self = c.operands[kPoolSelf];
  Operand& indices = c.operands[kPoolIndices];
  const int dims = pooled_dims(c);
  give_planes(self.shape, limits, dims);
  if (rank(self.shape) < rank_of_batch(c)) self.shape[0] = std::max<std::int64_t>(self.shape[0], 1);
  Dims shape = self.shape;
  std::int64_t most = limits.max_elements / plane_count(self.shape, dims);
  for (int d = dims; d > 0; --d) {
    std::int64_t& size = shape[shape.size() - static_cast<std::size_t>(d)];
    const std::int64_t bound = no_larger ? std::min(size, most) : most;
    size = std::clamp<std::int64_t>(size_at(indices.shape, rank(indices.shape) - d), 1, bound);
    most /= size;
  }
  indices.shape = c.operands[kPoolGrad].shape = shape;
}

/// Makes the indices of a plane, no more than it has elements, name none twice.
void name_each_once(Operand& indices) {
  FillKind& kind = indices.fill.kind;
  if (kind != FillKind::kAscending && kind != FillKind::kDescending) kind = FillKind::kDistinct1;
  indices.fill.repeats = 0;
  for (DimLayout& dim : indices.layout.dims) dim.expanded = dim.slides = false;
}

/// `apart`: no two windows overlap.
void give_dtypes_and_fills(Case& c, const Limits& limits, bool apart) {
  Operand& self = c.operands[kPoolSelf];
  Operand& indices = c.operands[kPoolIndices];
  Operand& grad = c.operands[kPoolGrad];
  clamp_dtype(self.dtype, within(kFloats, limits));
  grad.dtype = self.dtype;
  indices.dtype = Dtype::kInt64;
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(indices.fill, FillFamily::kIndex);
  clamp_fill(grad.fill, FillFamily::kValue);
  if (apart && plane_of_grad(c, kPoolGrad) > 1) name_each_once(indices);
  settle_terms(grad);
}

bool adds_elements(const Case& c) {
  return numel(c.operands[kPoolGrad].shape) > 0;
}

/// Gives grad_output and its indices another size in this dimension.
void resize_grad(Case& c, std::size_t dim, std::int64_t size) {
  for (const int operand : {kPoolGrad, kPoolIndices})
    resize_dimension(operand_at(c, operand), dim, size);
}

/// Gives grad_output and its indices so many planes more than self has.
bool change_planes(Case& c, std::int64_t more) {
  const std::int64_t size = c.operands[kPoolGrad].shape[0] + more;
  if (!adds_elements(c) || size == 0) return false;
  resize_grad(c, 0, size);
  return true;
}

/// Gives grad_output and its indices one dimension more than self has or, where a batch lets them,
/// one less.
bool change_rank_of_grad(Case& c) {
  const int batch = rank_of_batch(c);
  if (!adds_elements(c)) return false;
  if (rank(c.operands[kPoolSelf].shape) < batch)
    return add_dimension(c, kPoolGrad, batch) && add_dimension(c, kPoolIndices, batch);
  return remove_dimension(c, kPoolGrad, batch) && remove_dimension(c, kPoolIndices, batch);
}

/// Gives all operands one dimension more than a batch has.
bool raise_ranks(Case& c) {
  if (c.variant != Variant::kFunctional) return false;
  for (const int operand : kAllOperands) add_dimension(c, operand, rank_of_batch(c) + 1);
  return true;
}

/// Gives all operands as many dimensions as a plane has.
bool lower_ranks(Case& c) {
  const int planes = pooled_dims(c) + 1;
  if (c.variant != Variant::kFunctional || rank(c.operands[kPoolSelf].shape) != planes)
    return false;
  for (const int operand : kAllOperands) remove_dimension(c, operand, planes);
  return true;
}

/// Pools to nothing.
bool empty_grad(Case& c) {
  if (!adds_elements(c)) return false;
  resize_grad(c, c.operands[kPoolGrad].shape.size() - 1, 0);
  return true;
}

constexpr std::array<IllegalRule, 15> kRules{{
    {1, "index_below", [](Case& c) { return poke_index(c, kPoolIndices, -1); }, kMayReturnAnything},
    {2, "index_above",
     [](Case& c) { return poke_index(c, kPoolIndices, plane_of_self(c, kPoolIndices)); },
     kMayReturnAnything},
    {3, "index_dtype", [](Case& c) { return become_floating(c, kPoolIndices); }},
    {4, "indices_shape", [](Case& c) { return misshape(c, kPoolIndices); }},
    {5, "grad_dtype", [](Case& c) { return mismatch_dtype(c, kPoolGrad, kPoolSelf); }},
    {6, "planes_above", [](Case& c) { return change_planes(c, 1); }},
    {7, "planes_below", [](Case& c) { return change_planes(c, -1); }},
    {8, "grad_rank", change_rank_of_grad},
    // A custom kernel may well take planes in any number of dimensions, or pool to nothing.
    {9, "rank_above", raise_ranks, kATenOnly},
    {10, "rank_below", lower_ranks, kATenOnly},
    {11, "grad_empty", empty_grad, kATenOnly},
    // Every index is then out of range.
    {12, "self_empty",
     [](Case& c) { return empty_written_dimension(c, rank(c.operands[kPoolSelf].shape) - 1); },
     kByValue | kMayReturnAnything},
    {13, "out_dtype", change_out_dtype},
    {14, "out_overlaps_itself", overlap_written},
    {15, "index_dtype_narrow", [](Case& c) { return become_narrow(c, kPoolIndices); }, kATenOnly},
}};

/// Tells the fractional pooling another size than grad_output has.
bool change_output_size(Case& c) {
  if (!adds_elements(c)) return false;
  output_sizes(c).back() += 1;
  return true;
}

bool change_output_list(Case& c, bool (*change)(Case&, int)) {
  return adds_elements(c) && change(c, pooled_dims(c));
}

/// Of the pooling that is told sizes. Nothing is documented of one to nothing, and the sizes of a
/// window play no part, whatever their number.
constexpr std::array<IllegalRule, 3> kFractionalRules{{
    {16, "output_size", change_output_size},
    {17, "output_size_empty", [](Case& c) { return change_output_list(c, empty_list); }, kATenOnly},
    {18, "output_size_longer", [](Case& c) { return change_output_list(c, lengthen_list); },
     kATenOnly},
}};

consteval std::array<IllegalRule, 17> fractional_rules() {
  std::array<IllegalRule, 17> rules{};
  const auto end = std::ranges::copy_if(kRules, rules.begin(), [](const IllegalRule& rule) {
                     return rule.apply != empty_grad;
                   }).out;
  std::ranges::copy(kFractionalRules, end);
  return rules;
}

}  // namespace

const std::array<IllegalRule, 15> adaptive_pool_backward_rules = kRules;
const std::array<IllegalRule, 17> fractional_pool_backward_rules = fractional_rules();

int pooled_dims(const Case& c) {
  return operator_of(c).least_rank - 1;
}

std::int64_t plane_of_self(const Case& c, int) {
  return plane_size(c.operands[kPoolSelf].shape, pooled_dims(c));
}

std::int64_t plane_of_grad(const Case& c, int) {
  return plane_size(c.operands[kPoolGrad].shape, pooled_dims(c));
}

void repair_adaptive_pool_backward(Case& c, const Limits& limits) {
  give_shapes(c, limits, false);
  const auto self = plane_sizes(c.operands[kPoolSelf], pooled_dims(c)),
             grad = plane_sizes(c.operands[kPoolGrad], pooled_dims(c));
  bool apart = true;
  for (std::size_t d = 0; d < self.size(); ++d) apart = apart && self[d] % grad[d] == 0;
  give_dtypes_and_fills(c, limits, apart);
}

void repair_fractional_pool_backward(Case& c, const Limits& limits) {
  give_shapes(c, limits, true);
  const auto self = plane_sizes(c.operands[kPoolSelf], pooled_dims(c)),
             grad = plane_sizes(c.operands[kPoolGrad], pooled_dims(c)), window = window_sizes(c);
  bool apart = true;
  for (std::size_t d = 0; d < self.size(); ++d) {
    window[d] = std::clamp<std::int64_t>(window[d], 1, self[d] - grad[d] + 1);
    // The first window is at the beginning, the last one at the end.
    apart = apart && self[d] - window[d] >= window[d] * (grad[d] - 1);
  }
  std::ranges::copy(grad, output_sizes(c).begin());
  give_dtypes_and_fills(c, limits, apart);
}

void add_to_planes(const OracleInput& input, std::byte* destination) {
  const auto [shape, dtype] = result_like_self(input.c);
  std::memset(destination, 0, static_cast<std::size_t>(numel(shape)) * item_size(dtype));
  const IndexReader index(input, kPoolIndices);
  const std::int64_t from_plane = plane_of_grad(input.c, kPoolGrad),
                     to_plane = plane_of_self(input.c, kPoolSelf);
  as_addends(dtype, destination, input.operands[kPoolGrad].data, [&](auto* to, const auto* from) {
    for (std::int64_t i = 0; i < index.count(); ++i)
      to[i / from_plane * to_plane + index[i]].add(from[i]);
  });
}

}  // namespace indexfuzz
