// A case in words, for a person at a terminal.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "case/far_slices.h"
#include "memory/placement.h"
#include "ops/definition/illegal_rule.h"
#include "ops/expectation.h"
#include "ops/text/case_text.h"
#include "reproduce/quoting.h"
#include "reproduce/reproduction.h"
#include "reproduce/values_code.h"

namespace indexfuzz {
namespace {

/// "transposed, strided, expanded, at offset 3", or "contiguous".
std::string traits_of(const Layout& layout) {
  std::vector<std::string> words;
  if (!std::ranges::is_sorted(layout.order)) words.push_back("dimensions permuted");
  const auto any = [&](auto has) { return std::ranges::any_of(layout.dims, has); };
  if (any([](const DimLayout& d) { return d.step != 1; })) words.push_back("strided");
  if (any([](const DimLayout& d) { return d.before != 0 || d.after != 0; }))
    words.push_back("with gaps");
  if (has_expanded(layout)) words.push_back("expanded");
  if (has_sliding(layout)) words.push_back("overlapping");
  if (layout.offset != 0) words.push_back(fmt::format("at offset {}", layout.offset));
  return words.empty() ? "contiguous" : fmt::format("{}", fmt::join(words, ", "));
}

std::string guard_of(const Operand& operand) {
  if (operand.guard == Guard::kRight) return "right end at a guard page";
  const auto gap = bytes_behind_guard(strided(operand.shape, operand.layout), operand.dtype);
  return gap == 0 ? "left end at a guard page"
                  : fmt::format("left end {} bytes behind a guard page", gap);
}

std::string describe_operand(const Expectation& e, std::size_t k) {
  const Operand& operand = e.c.operands[k];
  const std::string title = operand_name(e.c, static_cast<int>(k));
  if (!operand.present) return fmt::format("{}: None\n", title);
  if (spec_of(e.c, static_cast<int>(k)).role == Role::kScalar) {
    return fmt::format("{}: the number {} ({}, {})\n", title,
                       element_text(operand.dtype, e.operands[k].data()), info(operand.dtype).name,
                       name(operand.fill.kind));
  }
  std::string text = fmt::format("{}: {} {}, {}, {}\n", title, info(operand.dtype).name,
                                 python_tuple(called_shape(operand)), traits_of(operand.layout),
                                 guard_of(operand));
  if (are_apart(operand.slices))
    text += fmt::format("    its slices lie 2^{} elements apart\n", far_exponent(operand.slices));
  if (operand.on_host) text += "    it stays on the host where the others lie on a GPU\n";
  if (!is_contiguous(operand.layout)) {
    const Strided view = strided(operand.shape, operand.layout);
    text += fmt::format("    layout  {}\n    strides {}, storage offset {} of {} elements\n",
                        python_view(operand, "base"), python_tuple(view.strides),
                        view.storage_offset, view.storage_elements);
  }
  if (operand.shares_memory_with >= 0) {
    return text + fmt::format("    in the memory of {}, whose elements it holds\n",
                              operand_name(e.c, operand.shares_memory_with));
  }
  if (const std::int64_t in_front = slices_in_front(operand); in_front > 0)
    text += fmt::format("    of it only the slices from {} on are named\n", in_front);
  return text + fmt::format("    values  {} ({})\n",
                            values_text(operand.dtype, operand.shape, e.operands[k]),
                            name(operand.fill.kind));
}

}  // namespace

std::string describe_case(const Case& c) {
  Expectation e = expectation(c);
  e.c = with_placed_layouts(std::move(e.c));
  const Overload& overload = overload_of(c);
  std::string text = fmt::format("{}{}{}, {}", operator_of(c).name,
                                 overload.name.empty() ? "" : ".", overload.name, name(c.variant));
  for (std::size_t a = 0; a < overload.attributes.size(); ++a) {
    const AttributeSpec& spec = overload.attributes[a];
    text += fmt::format(", {}={}", spec.name, attribute_text(spec, e.c.attributes[a]));
  }
  if (e.c.environment.threads > 1) text += fmt::format(", {} threads", e.c.environment.threads);
  if (e.c.environment.capability != Capability::kNative)
    text += fmt::format(", CPU capability {}", name(e.c.environment.capability));
  for (const GpuSetting& setting : kGpuSettings) {
    if (e.c.gpu.*setting.is_on) text += fmt::format(", {}", setting.words);
  }
  text += "\n\n";
  for (std::size_t k = 0; k < e.c.operands.size(); ++k) text += describe_operand(e, k);
  if (e.must_refuse)
    return text + fmt::format("\nmust be refused: it breaks the rule {}\n",
                              rule_of(c) != nullptr ? rule_of(c)->name : "?");
  text += fmt::format("\nexpected result: {} {}\n    values  {}\n", info(e.result.dtype).name,
                      python_tuple(e.result.shape),
                      values_text(e.result.dtype, e.result.shape, e.values));
  for (std::size_t i = 0, shown = 0; i < e.admissible.size() && shown < 16; ++i) {
    if (e.admissible[i].empty()) continue;
    std::vector<std::string> choices;
    for (const auto& value : e.admissible[i])
      choices.push_back(element_text(e.result.dtype, value.data()));
    text +=
        fmt::format("    element {} (row-major) may be any of {}\n", i, fmt::join(choices, ", "));
    ++shown;
  }
  for (std::size_t i = 0, shown = 0; i < e.tolerance.size() && shown < 16; ++i) {
    if (e.tolerance[i] == 0) continue;
    text += fmt::format("    element {} (row-major) may be off by {:.3g}\n", i, e.tolerance[i]);
    ++shown;
  }
  return text;
}

}  // namespace indexfuzz
