#include "ops/text/case_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "case/dim_set.h"
#include "ops/definition/illegal_rule.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

/// " name=(a, b, c)", one number per dimension; nothing if all have the default, `plain`.
template <typename Field>
void add_per_dim(std::string& line, std::string_view name, const Layout& layout, Field field,
                 int plain) {
  if (std::ranges::all_of(layout.dims, [&](const DimLayout& d) { return field(d) == plain; }))
    return;
  line +=
      fmt::format(" {}=({})", name, fmt::join(layout.dims | std::views::transform(field), ", "));
}

/// " name=(0, 2)": the dimensions that have a property; nothing if none has it.
template <typename Property>
void add_dim_set(std::string& line, std::string_view name, std::size_t rank, Property has) {
  std::string list;
  for (std::size_t d = 0; d < rank; ++d) {
    if (has(d)) list += fmt::format("{}{}", list.empty() ? "" : ", ", d);
  }
  if (!list.empty()) line += fmt::format(" {}=({})", name, list);
}

std::string operand_line(const OperandSpec& spec, const Operand& operand) {
  if (!operand.present) return fmt::format("{} none", spec.name);
  std::string line = fmt::format("{} {} ({})", spec.name, info(operand.dtype).name,
                                 fmt::join(operand.shape, ", "));

  const Layout& layout = operand.layout;
  const std::size_t rank = layout.dims.size();
  if (!std::ranges::is_sorted(layout.order))
    line += fmt::format(" order=({})", fmt::join(layout.order, ", "));
  add_per_dim(
      line, "step", layout, [](const DimLayout& d) { return d.step; }, 1);
  add_per_dim(
      line, "before", layout, [](const DimLayout& d) { return d.before; }, 0);
  add_per_dim(
      line, "after", layout, [](const DimLayout& d) { return d.after; }, 0);
  add_dim_set(line, "expanded", rank, [&](std::size_t d) { return layout.dims[d].expanded; });
  add_dim_set(line, "slides", rank, [&](std::size_t d) { return layout.dims[d].slides; });
  if (layout.offset != 0) line += fmt::format(" offset={}", layout.offset);
  if (operand.guard == Guard::kRight) line += " guard=right";
  if (operand.slices != SlicePlacement::kByLayout)
    line += fmt::format(" slices={}",
                        kNamesOfSlicePlacements[static_cast<std::size_t>(operand.slices)]);
  if (operand.on_host) line += " device=host";

  const Fill& fill = operand.fill;
  if (fill.kind != FillKind::kIndex) line += fmt::format(" fill={}", name(fill.kind));
  if (fill.negatives != Negatives::kNone) {
    line += fill.negatives == Negatives::kAll ? " negatives=all" : " negatives=some";
  }
  add_dim_set(line, "repeats", kMaxDims,
              [&](std::size_t d) { return (fill.repeats >> d & 1) != 0; });
  if (fill.seed != 0) line += fmt::format(" seed={}", fill.seed);
  if (fill.popcount != 0) line += fmt::format(" popcount={}", fill.popcount);
  return line;
}

/// The case without the header.
std::string lines_of(const Case& c) {
  const OperatorInfo& op = operator_of(c);
  const Overload& overload = overload_of(c);
  std::string text = fmt::format("{}{}{} {}", op.name, overload.name.empty() ? "" : ".",
                                 overload.name, name(c.variant));
  for (std::size_t a = 0; a < overload.attributes.size(); ++a) {
    const AttributeSpec& spec = overload.attributes[a];
    if (c.attributes[a] == 0 && !is_choice(spec.type)) continue;
    text += fmt::format(" {}={}", spec.name, attribute_text(spec, c.attributes[a]));
  }
  if (c.environment.threads != 1) text += fmt::format(" threads={}", c.environment.threads);
  if (c.environment.capability != Capability::kNative)
    text += fmt::format(" capability={}", name(c.environment.capability));
  for (const GpuSetting& setting : kGpuSettings) {
    if (c.gpu.*setting.is_on) text += fmt::format(" {}={}", setting.field, setting.on);
  }
  if (const IllegalRule* rule = rule_of(c)) text += fmt::format(" breaks={}", rule->name);
  text += "\n";
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    text += operand_line(spec_of(c, static_cast<int>(k)), c.operands[k]) + "\n";
  }
  return text;
}

}  // namespace

std::string attribute_text(const AttributeSpec& spec, std::int64_t value) {
  switch (spec.type) {
    case AttributeType::kChoice:
    case AttributeType::kCode: {
      const auto choice = static_cast<std::size_t>(value);
      return choice < spec.choices.size() ? std::string(spec.choices[choice])
                                          : fmt::to_string(value);
    }
    case AttributeType::kDims: return fmt::format("({})", fmt::join(dims_of(value), ", "));
    case AttributeType::kBool: return value != 0 ? "true" : "false";
    case AttributeType::kOptionalDim:
    case AttributeType::kOptionalSize:
    case AttributeType::kOptionalRow:
    case AttributeType::kOptionalPlace:
      if (value == kNoInt) return "none";
      [[fallthrough]];
    case AttributeType::kDim:
    case AttributeType::kNewDim:
    case AttributeType::kOuterDim:
    case AttributeType::kRow:
    case AttributeType::kStep:
    case AttributeType::kAnyInt:
    case AttributeType::kSize: return fmt::to_string(value);
  }
  return "";
}

std::string to_text(const Case& c) {
  return to_text(std::span<const Case>(&c, 1));
}

std::string to_text(std::span<const Case> cases) {
  std::string text = std::string(kCaseHeader) + "\n";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (i > 0) text += "---\n";
    text += lines_of(cases[i]);
  }
  return text;
}

}  // namespace indexfuzz
