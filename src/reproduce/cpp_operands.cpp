#include "reproduce/cpp_operands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "case/dim_set.h"
#include "case/far_slices.h"
#include "memory/placement.h"
#include "reproduce/values_code.h"

namespace indexfuzz {
namespace {

std::string list(const OperandSpec& spec, const std::vector<std::string>& variables) {
  if (spec.role == Role::kValue)
    return fmt::format("std::vector<at::Tensor>({{{}}})", fmt::join(variables, ", "));
  std::vector<std::string> items;
  for (const std::string& v : variables)
    items.push_back(v.empty() ? "std::nullopt" : fmt::format("std::optional<at::Tensor>({})", v));
  return fmt::format("c10::List<std::optional<at::Tensor>>({{{}}})", fmt::join(items, ", "));
}

std::string number(const std::string& variable, Dtype dtype, const std::byte*) {
  const std::string_view type = dtype == Dtype::kBool     ? "bool"
                                : dtype == Dtype::kInt64  ? "int64_t"
                                : dtype == Dtype::kDouble ? "double"
                                                          : "c10::complex<double>";
  return fmt::format("at::Scalar(number<{}>({}_values))", type, variable);
}

std::string attribute(const AttributeSpec& spec, std::int64_t value) {
  if (spec.type == AttributeType::kBool) return value != 0 ? "true" : "false";
  if (spec.type == AttributeType::kChoice) return fmt::format("\"{}\"", choice_of(spec, value));
  if (spec.type == AttributeType::kDims) return "std::vector<int64_t>" + cpp_ints(dims_of(value));
  if (is_optional(spec.type) && value == kNoInt) return "std::nullopt";
  if (value == INT64_MIN) return "INT64_MIN";
  return fmt::format("int64_t{{{}}}", value);
}

std::string sizes_text(const Dims& dims) {
  return "at::IntArrayRef(" + cpp_ints(dims) + ")";
}

/// The C++ type of an element or of its real part, and the bits of that type's positive infinity:
/// those above it are NaN ("0" if there are none).
struct Part {
  std::string_view type;
  std::string_view infinity;
};
Part part_of(Dtype dtype) {
  switch (component(dtype)) {
    case Dtype::kBool:
    case Dtype::kUInt8: return {"uint8_t", "0"};
    case Dtype::kInt8: return {"int8_t", "0"};
    case Dtype::kInt16: return {"int16_t", "0"};
    case Dtype::kUInt16: return {"uint16_t", "0"};
    case Dtype::kInt32: return {"int32_t", "0"};
    case Dtype::kUInt32: return {"uint32_t", "0"};
    case Dtype::kInt64: return {"int64_t", "0"};
    case Dtype::kUInt64: return {"uint64_t", "0"};
    case Dtype::kHalf: return {"at::Half", "0x7C00"};
    case Dtype::kBFloat16: return {"at::BFloat16", "0x7F80"};
    case Dtype::kFloat: return {"float", "0x7F800000"};
    case Dtype::kDouble: return {"double", "0x7FF0000000000000"};
    case Dtype::kFloat8E4M3FN:
      return {"at::Float8_e4m3fn", "0x7E"};  // its largest number: it has no infinity
    case Dtype::kFloat8E5M2: return {"at::Float8_e5m2", "0x7C"};
    // These have a single NaN, so comparing bits suffices.
    case Dtype::kFloat8E4M3FNUZ: return {"at::Float8_e4m3fnuz", "0"};
    case Dtype::kFloat8E5M2FNUZ: return {"at::Float8_e5m2fnuz", "0"};
    case Dtype::kComplexHalf:
    case Dtype::kComplexFloat:
    case Dtype::kComplexDouble: break;
  }
  return {"uint8_t", "0"};
}

}  // namespace

CallWriter cpp_call_writer() {
  return {list, number, attribute};
}

std::string cpp_ints(const Dims& dims) {
  return fmt::format("{{{}}}", fmt::join(dims, ", "));
}

std::string cpp_operand_values(const ProgramPlan& plan) {
  const Expectation& e = plan.expected;
  std::string text;
  for (std::size_t k = 0; k < e.c.operands.size(); ++k) {
    if (e.c.operands[k].present)
      text += cpp_values(plan.variables[k] + "_values", e.c.operands[k].dtype, e.operands[k]);
  }
  return text;
}

std::string cpp_operand(const ProgramPlan& plan, std::size_t k) {
  const Operand& operand = plan.expected.c.operands[k];
  const std::string& name = plan.variables[k];
  const std::string_view dtype = info(operand.dtype).cpp;
  if (plan.resized && static_cast<int>(k) == plan.written && numel(operand.shape) == 0) {
    return fmt::format("    at::Tensor {} = at::empty({}, at::TensorOptions().dtype({}){});\n",
                       name, cpp_ints(operand.shape), dtype, plan.on_gpu ? ".device(kDevice)" : "");
  }
  Strided view = strided(operand.shape, operand.layout);
  if (operand.shares_memory_with >= 0) {
    if (has_gaps_or_order(operand.layout)) {
      std::string part = plan.variables[static_cast<std::size_t>(operand.shares_memory_with)];
      for (std::size_t d = 0; d < operand.shape.size(); ++d)
        part += fmt::format(".narrow({}, 0, {})", d, operand.shape[d]);
      return fmt::format("    at::Tensor {} = {};  // the same memory\n", name, part);
    }
    // A view of the host's storage: PyTorch looks for overlaps only within one storage.
    const auto size = static_cast<std::int64_t>(item_size(operand.dtype));
    return fmt::format(
        "    at::Tensor {} = {}.view(-1).view(at::kByte).narrow(0, {}, {}).view({}).view({});\n",
        name, plan.variables[static_cast<std::size_t>(operand.shares_memory_with)],
        operand.layout.offset * size, numel(operand.shape) * size, dtype,
        sizes_text(operand.shape));
  }
  const bool whole = whole_storage_accessible(plan.expected.c, static_cast<int>(k));
  const bool is_out = spec_of(plan.expected.c, static_cast<int>(k)).role == Role::kOut;
  std::string place;
  if (!plan.on_gpu && operand.guard == Guard::kRight) {
    place = ", kAtLastPage";
  } else if (!plan.on_gpu) {
    const auto size = static_cast<std::int64_t>(item_size(operand.dtype));
    place =
        fmt::format(", /* bytes behind the first page */ {}",
                    whole ? view.storage_offset * size : bytes_behind_guard(view, operand.dtype));
  }
  if (!plan.on_gpu && are_last(operand.slices))
    place += fmt::format(", 1, 0, /* slices in front */ {}", slices_in_front(operand));
  if (!plan.on_gpu && are_apart(operand.slices)) {
    const FarSlices slices = far_slices(operand).value();
    const FarPlaces places = in_bytes(slices, operand.dtype);
    place +=
        fmt::format(", /* slices */ {}, /* bytes apart */ {}", places.count, places.apart_bytes);
    view.strides[slices.dimension] = slices.apart;
    view.extent = slices.extent;
  }
  return fmt::format(
      "    Operand {0}_operand(\"{0}\", {1}, {0}_values, {2}, {3}, {4}, {5}, /* around it */ "
      "0x{6:X}{7});\n"
      "    at::Tensor {0} = {0}_operand.tensor;\n{8}",
      name, dtype, cpp_ints(operand.shape), cpp_ints(view.strides), view.storage_offset,
      view.extent, std::to_integer<int>(canary_around(plan.expected.c, static_cast<int>(k))), place,
      is_out ? fmt::format("    {}_operand.make_resizable();\n", name) : "");
}

std::string cpp_values_and_result(const ProgramPlan& plan) {
  const Expectation& e = plan.expected;
  std::string text = cpp_operand_values(plan);
  if (e.must_refuse) return text;
  // The first of several calls tells what a result that changes is compared with.
  if (!plan.watch.change) text += cpp_values("expected_values", e.result.dtype, e.values);
  std::vector<std::size_t> elements;
  std::vector<std::byte> choices;
  for (std::size_t i = 0; i < e.admissible.size() && !plan.watch.change; ++i) {
    for (const auto& value : e.admissible[i]) {
      elements.push_back(i);
      choices.insert(choices.end(), value.begin(), value.end());
    }
  }
  text += fmt::format(
      "// {}: element choice_elements[j] may be choice_values[j].\n"
      "constexpr size_t kChoices = {};\nconst int64_t choice_elements[] = {{{}}};\n",
      why_several(e), elements.size(),
      elements.empty() ? "0" : fmt::format("{}", fmt::join(elements, ", ")));
  text += cpp_values("choice_values", e.result.dtype, choices);
  text += fmt::format(
      "// By how much an element may be off.\nconstexpr size_t kTolerances = {};\n"
      "const double tolerances[] = {{{}}};\n",
      e.tolerance.size(),
      e.tolerance.empty() ? "0" : fmt::format("{}", fmt::join(e.tolerance, ", ")));
  const Part part = part_of(e.result.dtype);
  text += fmt::format(
      "constexpr size_t kItem = {};\nusing Part = {};\nconstexpr uint64_t kInfinity = {};\n",
      item_size(e.result.dtype), part.type, part.infinity);
  return text;
}

}  // namespace indexfuzz
