#include "reproduce/plain_lines.h"

#include <fmt/format.h>

#include <cstring>
#include <span>
#include <vector>

#include "case/far_slices.h"
#include "judge/sharing.h"
#include "reproduce/python_operands.h"
#include "reproduce/python_parts.h"
#include "reproduce/quoting.h"
#include "reproduce/values_code.h"

namespace indexfuzz {
namespace {

/// The operand in one expression: its storage written out, and the view cut from it. Gaps are zeros
/// or, in masks, true, as the canaries are that lie there in the campaign.
std::string operand_expression(const Operand& operand, std::span<const std::byte> values) {
  if (is_contiguous(operand.layout)) return python_values(operand.dtype, operand.shape, values);
  const Strided view = strided(operand.shape, operand.layout);
  const std::size_t size = item_size(operand.dtype);
  const bool is_truths = operand.dtype == Dtype::kBool ||
                         (is_mask(operand) && family(operand.fill.kind) == FillFamily::kMask);
  std::vector<std::byte> storage(static_cast<std::size_t>(view.storage_elements) * size,
                                 std::byte{is_truths});
  Dims at(operand.shape.size(), 0);
  std::int64_t place = view.storage_offset;
  for (std::int64_t i = 0; i < numel(operand.shape); ++i) {
    std::memcpy(storage.data() + static_cast<std::size_t>(place) * size,
                values.data() + static_cast<std::size_t>(i) * size, size);
    for (std::size_t d = at.size(); d-- > 0;) {
      place += view.strides[d];
      if (++at[d] < operand.shape[d]) break;
      place -= at[d] * view.strides[d];
      at[d] = 0;
    }
  }
  return python_view(operand, python_values(operand.dtype, Dims{view.storage_elements}, storage));
}

}  // namespace

CallLines call_lines(const ProgramPlan& plan, const CallSite& site) {
  const Case& c = plan.expected.c;
  CallLines lines;
  for (const std::size_t k : build_order(c)) {
    const Operand& operand = c.operands[k];
    if (operand.shares_memory_with >= 0) {
      const auto owner = static_cast<std::size_t>(operand.shares_memory_with);
      if (has_gaps_or_order(operand.layout)) {
        lines.operands += fmt::format("{} = {}[{}]  # the same memory\n", plan.variables[k],
                                      plan.variables[owner], python_part(operand.shape));
        continue;
      }
      const std::int64_t count = numel(operand.shape);
      const std::int64_t begin = operand.layout.offset;
      const auto size = static_cast<std::int64_t>(item_size(operand.dtype));
      const std::string elements =
          c.operands[owner].dtype == operand.dtype
              ? fmt::format("[{}]", python_slice(begin, count))
              : fmt::format(".view(torch.uint8)[{}].view(torch.{})",
                            python_slice(begin * size, count * size), info(operand.dtype).name);
      lines.operands +=
          fmt::format("{} = {}.view(-1){}.view({})  # the same memory\n", plan.variables[k],
                      plan.variables[owner], elements, python_tuple(operand.shape));
      continue;
    }
    const std::string expression = operand_expression(operand, plan.expected.operands[k]);
    if (are_last(operand.slices)) {
      lines.operands +=
          fmt::format("{0} = torch.empty({1}, dtype=torch.{2})\n{0}{3} = {4}\n", plan.variables[k],
                      python_tuple(called_shape(operand)), info(operand.dtype).name,
                      python_last_slices(operand), expression);
      continue;
    }
    lines.operands += fmt::format("{} = {}\n", plan.variables[k], expression);
  }
  lines.call = write_call(site.python, plan, python_call_writer());
  return lines;
}

bool may_be_split(const Case& c) {
  // PyTorch splits from 32,768 on (at::internal::GRAIN_SIZE), other kernels earlier.
  constexpr std::int64_t kSplitElements = 2048;
  return total_elements(c) >= kSplitElements;
}

}  // namespace indexfuzz
