#include "reproduce/python_operands.h"

#include <fmt/format.h>

#include <algorithm>

#include "case/far_slices.h"
#include "memory/placement.h"
#include "reproduce/python_gpu.h"
#include "reproduce/quoting.h"
#include "reproduce/reproduction.h"
#include "reproduce/values_code.h"

namespace indexfuzz {
namespace {

/// Whether operand k lies between inaccessible pages of its own. On the host, far slices always do:
/// there is not enough memory to fill the gaps between them.
bool is_guarded(const ProgramPlan& plan, std::size_t k) {
  const Operand& operand = plan.expected.c.operands[k];
  const bool is_far = are_apart(operand.slices) && !plan.on_gpu;
  return (plan.guarded || is_far) && !are_last(operand.slices) && numel(operand.shape) > 0;
}

/// Whether operand k's storage holds its elements and nothing else, so that the storage needs no
/// variable of its own.
bool is_plain(const ProgramPlan& plan, std::size_t k) {
  const Case& c = plan.expected.c;
  return !plan.one_place && !are_last(c.operands[k].slices) &&
         is_contiguous(c.operands[k].layout) && c.operands[k].shares_memory_with < 0 &&
         !hosts_another(c, k) && !is_guarded(plan, k);
}

/// The lines that write the values into a view, even if several of its elements share memory.
std::string write_values(const Operand& operand, const std::string& variable,
                         const std::string& values) {
  const auto overlaps = [](const DimLayout& d) { return d.expanded || d.slides; };
  if (std::ranges::none_of(operand.layout.dims, overlaps))
    return fmt::format("{}.copy_({})\n", variable, values);
  std::string text = fmt::format("{}_values = {}\n", variable, values);
  std::string indent;
  std::string place;
  for (std::size_t d = 0; d < operand.shape.size(); ++d) {
    if (!overlaps(operand.layout.dims[d])) {
      place += place.empty() ? ":" : ", :";
      continue;
    }
    // An expanded dimension holds the same values at every place.
    const std::int64_t count = operand.layout.dims[d].expanded
                                   ? std::min<std::int64_t>(operand.shape[d], 1)
                                   : operand.shape[d];
    text += fmt::format("{}for i{} in range({}):\n", indent, d, count);
    indent += "    ";
    place += fmt::format("{}i{}", place.empty() ? "" : ", ", d);
  }
  return text + fmt::format("{}{}[{}] = {}_values[{}]\n", indent, variable, place, variable, place);
}

}  // namespace

std::string python_last_slices(const Operand& operand) {
  return fmt::format("[{}:]", slices_in_front(operand));
}

std::string elements_of(const ProgramPlan& plan, std::size_t k) {
  const bool is_table = are_last(plan.expected.c.operands[k].slices);
  return plan.variables[k] + (is_table ? "_last" : "");
}

std::string memory_of(const ProgramPlan& plan, std::size_t k) {
  const Operand& operand = plan.expected.c.operands[k];
  if (are_last(operand.slices)) return elements_of(plan, k);
  // A storage of many GiB is too large to be copied.
  const bool is_view_alone =
      plan.on_gpu && (operand.slices != SlicePlacement::kByLayout || operand.on_host);
  if (is_plain(plan, k) || is_view_alone) return plan.variables[k];
  return plan.variables[k] + (is_guarded(plan, k) ? "_region" : "_storage");
}

namespace {

/// As python_operand(), but on the other operands' device even if operand k belongs on the host.
std::string python_operand_there(const ProgramPlan& plan, std::size_t k) {
  const Case& c = plan.expected.c;
  const Operand& operand = c.operands[k];
  const std::string& variable = plan.variables[k];
  const std::string values = python_values(operand.dtype, operand.shape, plan.expected.operands[k]);
  if (are_last(operand.slices)) {
    return fmt::format(
        "{0} = table({1}, torch.{2})\n"
        "{3} = {0}{4}\n{5}",
        variable, python_tuple(called_shape(operand)), info(operand.dtype).name,
        elements_of(plan, k), python_last_slices(operand),
        write_values(operand, elements_of(plan, k), values));
  }
  if (plan.on_gpu && operand.slices != SlicePlacement::kByLayout)
    return python_far_view(plan, k) + write_values(operand, variable, values);
  if (is_plain(plan, k)) return fmt::format("{} = {}\n", variable, values);

  const std::string storage = variable + "_storage";
  const auto size = static_cast<std::int64_t>(item_size(operand.dtype));
  if (operand.shares_memory_with >= 0) {
    const std::string& host = plan.variables[static_cast<std::size_t>(operand.shares_memory_with)];
    if (has_gaps_or_order(operand.layout)) {
      return fmt::format(
          "{0}_storage = {1}_storage  # the same memory\n{2}{0} = {1}[{3}]\n", variable, host,
          plan.guarded ? fmt::format("{0}_region = {1}_region\n", variable, host) : "",
          python_part(operand.shape));
    }
    return fmt::format(
        "{0}_storage = {1}_storage  # the same memory\n{2}"
        "{0} = {0}_storage.view(torch.uint8)[{3}].view(torch.{4}).view({5})\n",
        variable, host,
        plan.guarded ? fmt::format("{0}_region = {1}_region\n", variable, host) : "",
        python_slice(operand.layout.offset * size, numel(operand.shape) * size),
        info(operand.dtype).name, python_tuple(operand.shape));
  }
  const Strided view = far_view(operand);
  std::string text, python = python_view(operand, storage), more;
  // The written operand has other canaries, so that bytes copied from beside an input show.
  if (const std::byte canary = canary_around(plan.expected.c, static_cast<int>(k));
      canary != kCanary)
    more = fmt::format(", canary=0x{:X}", std::to_integer<int>(canary));
  if (plan.one_place) more += fmt::format(", name={}", in_quotes(variable));
  if (is_guarded(plan, k)) {
    std::int64_t extent = view.extent * size;
    std::string apart;
    if (const auto slices = far_slices(operand); slices && are_apart(operand.slices)) {
      const FarPlaces places = in_bytes(*slices, operand.dtype);
      extent = places.slice_bytes;
      apart = fmt::format(", {}, {}", places.count, places.apart_bytes);
      python = python_as_strided(operand.shape, view, storage);
    }
    text = fmt::format("{0}_region, {0}_storage = guarded({1}, {2}, {3}, {4}, torch.{5}{6}{7})\n",
                       variable, view.storage_elements * size, view.storage_offset * size, extent,
                       in_quotes(operand.guard == Guard::kLeft ? "left" : "right"),
                       info(operand.dtype).name, apart, more);
  } else {
    text = fmt::format("{} = canaries({}, torch.{}{})\n", storage, view.storage_elements * size,
                       info(operand.dtype).name, more);
  }
  text += fmt::format("{} = {}\n", variable, python);
  if (view.extent > 0) text += write_values(operand, variable, values);
  return text;
}

}  // namespace

std::string python_operand(const ProgramPlan& plan, std::size_t k) {
  const std::string text = python_operand_there(plan, k);
  const bool on_host = plan.on_gpu && plan.expected.c.operands[k].on_host;
  return on_host ? fmt::format("{0}{1} = {1}.cpu()\n", text, plan.variables[k]) : text;
}

}  // namespace indexfuzz
