#pragma once
// What is wrong in PyTorch 2.11, as far as small cases of the CPU meet it.

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "case/strided_copy.h"
#include "judge/judge.h"
#include "ops/families/advanced_index.h"

namespace indexfuzz {

/// PyTorch 2.11 refuses a uint8 mask with a single value: masked_fill takes boolean masks only.
inline bool is_uint8_mask_with_one_value(const Case& c) {
  if (operator_of(c).name != "index_put" || numel(c.operands[1].shape) != 1) return false;
  bool has_uint8 = false;
  for (int k = 2; k < input_count(c); ++k) {
    const Operand& entry = operand_at(c, k);
    has_uint8 |= entry.present && entry.dtype == Dtype::kUInt8;
    if (entry.present && family(entry.fill.kind) != FillFamily::kMask) return false;
  }
  return has_uint8;
}

/// Whether one stride leads through all elements.
inline bool has_flat_view(const Operand& operand) {
  const Dims strides = strided(operand.shape, operand.layout).strides;
  std::optional<std::int64_t> due;  // the stride that continues the dimensions behind
  for (std::size_t d = operand.shape.size(); d-- > 0;) {
    if (operand.shape[d] == 1) continue;
    if (due && strides[d] != *due) return false;
    due = strides[d] * operand.shape[d];
  }
  return true;
}

/// PyTorch 2.11 flattens both operands by view, where the documentation asks for reshape.
inline bool is_flattened_by_view(const Case& c) {
  return operator_of(c).name == "take_along_dim" && c.attributes[0] == kNoInt &&
         !(has_flat_view(c.operands[0]) && has_flat_view(c.operands[1]));
}

inline bool is_contiguous(const Operand& operand) {
  return is_row_major(operand.shape, strided(operand.shape, operand.layout).strides);
}

/// PyTorch 2.11 takes indices for contiguous in these operators, whose result may then lie
/// anywhere.
inline bool takes_indices_for_contiguous(const OperatorInfo& op) {
  return op.name == "adaptive_max_pool3d_backward" || op.name.starts_with("fractional_max_pool");
}

/// PyTorch 2.11 steps through the rows of segment_reduce by the stride of the axis, also where that
/// has a single element, so that its stride means nothing.
inline bool steps_by_stride_of_one_element(const Case& c) {
  if (operator_of(c).name != "segment_reduce") return false;
  const auto axis = static_cast<std::size_t>(rank(c.operands[0].shape) - 1);
  return std::any_of(c.operands.begin(), c.operands.begin() + 2, [axis](const Operand& operand) {
    const Dims strides = strided(operand.shape, operand.layout).strides;
    std::int64_t inner = 1;
    for (std::size_t d = axis + 1; d < operand.shape.size(); ++d) inner *= operand.shape[d];
    return operand.shape[axis] == 1 && strides[axis] != inner;
  });
}

/// PyTorch 2.11 takes the least of the lengths, also of none.
inline bool has_no_lengths(const Case& c) {
  return operator_of(c).name == "segment_reduce" && numel(c.operands[0].shape) == 0;
}

/// Whether PyTorch 2.11 reads or writes elsewhere, so that this process may end.
inline bool may_end_the_process(const Case& c) {
  if (steps_by_stride_of_one_element(c)) return true;
  return takes_indices_for_contiguous(operator_of(c)) &&
         !std::ranges::all_of(c.operands,
                              [](const Operand& operand) { return is_contiguous(operand); });
}

/// PyTorch 2.11 gives the out of these operators the strides that a fresh result would have.
inline bool gives_out_fresh_strides(const Case& c) {
  static constexpr std::string_view kNames[] = {"col2im",
                                                "im2col",
                                                "max_unpool2d",
                                                "max_pool3d_with_indices",
                                                "max_pool3d_with_indices_backward",
                                                "reflection_pad2d_backward",
                                                "reflection_pad3d",
                                                "replication_pad2d",
                                                "reflection_pad3d_backward",
                                                "replication_pad3d",
                                                "replication_pad2d_backward",
                                                "replication_pad3d_backward"};
  return std::ranges::find(kNames, operator_of(c).name) != std::end(kNames);
}

/// PyTorch 2.11 gives the out of max_pool3d_with_indices and its gradient the memory format that it
/// sees in self or grad_output.
inline bool gives_out_format_of_input(const Case& c) {
  const std::string_view name = operator_of(c).name;
  const std::size_t input = name == "max_pool3d_with_indices" ? 0 : 2;
  return name.starts_with("max_pool3d_with_indices") && c.variant == Variant::kOut &&
         !is_contiguous(c.operands[input]);
}

/// PyTorch 2.11 names an element behind the plane where a window holds padding alone.
inline bool is_named_behind_plane(const Case& c) {
  return operator_of(c).name.ends_with("with_indices") && operator_of(c).aten_only(c);
}

/// PyTorch 2.11 writes the out of narrow_copy, too, as if it were contiguous.
inline bool is_written_beside_strides(const Case& c) {
  if (c.variant != Variant::kOut) return false;
  if (operator_of(c).name != "narrow_copy" && !gives_out_fresh_strides(c)) return false;
  return !is_contiguous(c.operands.back());
}

/// PyTorch 2.11 refuses an out of max_unpool3d that is not contiguous.
inline bool is_refused_for_strides(const Case& c) {
  return operator_of(c).name == "max_unpool3d" && c.variant == Variant::kOut &&
         !is_contiguous(c.operands.back());
}

/// PyTorch 2.11 writes as many blocks into the contiguous out of cat and stack as it has elements
/// for the size and stride of dim: none if its only slice has a wider stride. Of dimensions of size
/// 1 that it joins with those behind, stack takes the last one's stride.
inline bool is_not_written(const Case& c) {
  if (!lists_values(overload_of(c)) || c.variant != Variant::kOut) return false;
  const Operand& out = c.operands.back();
  const Dims strides = strided(out.shape, out.layout).strides;
  const auto dim = static_cast<std::size_t>(wrapped_dim(c.attributes[0], rank(out.shape)));
  for (std::size_t d = dim; d < strides.size() && out.shape[d] == 1; ++d) {
    if (strides[d] > numel(out.shape)) return true;
  }
  return false;
}

/// PyTorch 2.11 copies the self of these operators with its strides, also where these let elements
/// share memory.
inline bool keeps_overlap(const Case& c) {
  const std::string_view name = operator_of(c).name;
  return (name == "select_scatter" || name == "slice_scatter" || name == "diagonal_scatter") &&
         has_sliding(c.operands[0].layout);
}

/// Whether the case fails as PyTorch 2.11 is known to.
inline bool is_known(const Case& c, const Verdict& verdict) {
  if (keeps_overlap(c)) return verdict.kind == Kind::kValue || verdict.kind == Kind::kMetadata;
  if (verdict.kind == Kind::kAssert) return has_gaps_alone(c);
  if (verdict.kind == Kind::kValue && (is_not_written(c) || is_named_behind_plane(c))) return true;
  if (verdict.kind == Kind::kMemory || verdict.kind == Kind::kValue)
    return is_written_beside_strides(c);
  if (verdict.kind == Kind::kMetadata)
    return (gives_out_fresh_strides(c) && is_written_beside_strides(c)) ||
           gives_out_format_of_input(c);
  return verdict.kind == Kind::kRefusal &&
         (is_uint8_mask_with_one_value(c) || is_flattened_by_view(c) || has_gaps_alone(c) ||
          has_no_lengths(c) || is_refused_for_strides(c));
}

}  // namespace indexfuzz
