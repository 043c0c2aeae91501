// The stand-alone C++ program: LibTorch, nothing of ours.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "reproduce/cpp_parts.h"
#include "reproduce/program_plan.h"
#include "reproduce/reproduction.h"
#include "reproduce/values_code.h"

namespace indexfuzz {
namespace {

std::string list(const std::vector<std::string>& variables) {
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

std::string attribute(AttributeType type, std::int64_t value) {
  if (type == AttributeType::kBool) return value != 0 ? "true" : "false";
  if (type == AttributeType::kOptionalInt && value == kNoInt) return "std::nullopt";
  if (value == INT64_MIN) return "INT64_MIN";
  return fmt::format("int64_t{{{}}}", value);
}

std::string ints(const Dims& dims) {
  return fmt::format("{{{}}}", fmt::join(dims, ", "));
}

std::string sizes_text(const Dims& dims) {
  return "at::IntArrayRef(" + ints(dims) + ")";
}

/// The C++ type of a number, and the bits of its positive infinity (0 where it has no NaN above).
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
    // They have one NaN alone.
    case Dtype::kFloat8E4M3FNUZ: return {"at::Float8_e4m3fnuz", "0"};
    case Dtype::kFloat8E5M2FNUZ: return {"at::Float8_e5m2fnuz", "0"};
    case Dtype::kComplexHalf:
    case Dtype::kComplexFloat:
    case Dtype::kComplexDouble: break;
  }
  return {"uint8_t", "0"};
}

std::string operand_values(const ProgramPlan& plan) {
  const Expectation& e = plan.expected;
  std::string text;
  for (std::size_t k = 0; k < e.c.operands.size(); ++k) {
    if (e.c.operands[k].present)
      text += cpp_values(plan.variables[k] + "_values", e.c.operands[k].dtype, e.operands[k]);
  }
  return text;
}

bool is_host(const Case& c, std::size_t k) {
  return std::ranges::any_of(
      c.operands, [&](const Operand& o) { return o.shares_memory_with == static_cast<int>(k); });
}

std::string build_operand(const ProgramPlan& plan, std::size_t k) {
  const Operand& operand = plan.expected.c.operands[k];
  const std::string& name = plan.variables[k];
  const std::string_view dtype = info(operand.dtype).cpp;
  if (plan.resized && static_cast<int>(k) == plan.written) {
    return fmt::format("    at::Tensor {} = at::empty({}, {});\n", name, ints(operand.shape),
                       dtype);
  }
  const Strided view = strided(operand.shape, operand.layout);
  if (operand.shares_memory_with >= 0) {
    // Through the very storage: PyTorch looks for overlaps only within one.
    return fmt::format(
        "    at::Tensor {} = {}.view(-1).view(at::kByte).narrow(0, 0, {}).view({}).view({});\n",
        name, plan.variables[static_cast<std::size_t>(operand.shares_memory_with)],
        numel(operand.shape) * static_cast<std::int64_t>(item_size(operand.dtype)), dtype,
        sizes_text(operand.shape));
  }
  // A call that resizes `out` copies its whole storage first: all of it must be accessible, at the
  // left of the view.
  const bool is_out =
      plan.expected.c.variant == Variant::kOut && static_cast<int>(k) == plan.written;
  const bool left = operand.guard == Guard::kLeft && !is_out;
  return fmt::format(
      "    Operand {0}_operand(\"{0}\", {1}, {0}_values, {2}, {3}, {4}, {5}, {6});\n"
      "    at::Tensor {0} = {0}_operand.tensor;\n{7}",
      name, dtype, ints(operand.shape), ints(view.strides), view.storage_offset, view.extent,
      left ? "/* flush left */ true" : "/* flush left */ false",
      is_out ? fmt::format("    {}_operand.make_resizable();\n", name) : "");
}

std::string demand_refusal(const std::string& call) {
  return "    printf(\"expected: an ordinary error\\n\");\n    try {\n      const at::Tensor "
         "actual = " +
         call + std::string(kCppRefusal);
}

std::string demand_result(const ProgramPlan& plan, Kind kind, const std::string& call) {
  const Expectation& e = plan.expected;
  const std::string written =
      plan.written >= 0 ? plan.variables[static_cast<std::size_t>(plan.written)] : "";
  std::string text = "    at::Tensor actual;\n    try {\n      actual = " + call +
                     ";\n    } catch (const std::exception& error) {\n      printf(\"expected: a "
                     "result\\nactual:   %s\\n\", "
                     "first_line(error.what()).c_str());\n";
  text +=
      plan.any_refusal
          ? "      return strstr(error.what(), \"not implemented for\") != nullptr ? 125 : 1;\n    "
            "}\n"
          : "      return strstr(error.what(), \"INTERNAL ASSERT\") != nullptr ? 1 : 125;\n    }\n";
  if (!written.empty()) {
    text += fmt::format(
        "    if (!actual.is_same({0})) wrong = \"it returned another tensor than {0}\";\n    "
        "actual = {0};\n",
        written);
  }
  text += fmt::format("    const Ints sizes = {};\n", ints(e.result.shape));
  text += fmt::format(
      "    if (actual.scalar_type() != {} || actual.sizes() != at::IntArrayRef(sizes)) {{\n",
      info(e.result.dtype).cpp);
  text += kCppElements;
  if (kind == Kind::kMetadata && written.empty()) {
    std::vector<std::string> inputs;
    for (const std::size_t k : build_order(e.c)) inputs.push_back(plan.variables[k]);
    text += fmt::format(
        "    for (const at::Tensor& operand : std::vector<at::Tensor>{{{}}}) {{\n"
        "      if (actual.defined() && actual.has_storage() && actual.numel() > 0 &&\n"
        "          actual.storage().data() == operand.storage().data()) {{\n"
        "        wrong = \"the result shares memory with an operand\";\n      }}\n    }}\n",
        fmt::join(inputs, ", "));
  }
  // What still differs after the elements are put back lies beside them.
  if (!written.empty() && !plan.resized)
    text += fmt::format("    {0}_operand.put({0}_values);\n", written);
  if (plan.watch_heap) {
    text +=
        "    for (const auto& block : blocks) heap_damaged |= damaged(block.second);\n"
        "    if (heap_damaged) wrong = \"bytes beside an allocation of the call were changed\";\n";
  }
  return text;
}

/// A namespace for each different call that comes before the judged one: its values, and `call()`.
std::string define_earlier_calls(const EarlierCalls& earlier) {
  std::string text;
  for (std::size_t i = 0; i < earlier.different.size(); ++i) {
    const EarlierCall& one = earlier.different[i];
    const ProgramPlan plan = program_plan(one);
    text += fmt::format("\nnamespace earlier_{} {{\n{}void call() {{\n", i, operand_values(plan));
    for (const std::size_t k : build_order(plan.expected.c)) text += build_operand(plan, k);
    text += fmt::format(
        "    try {{\n      {};\n    }} catch (const std::exception&) {{\n    }}\n}}\n}}  // "
        "namespace "
        "earlier_{}\n",
        write_call(one.call.cpp, plan, {list, number, attribute}), i);
  }
  return text;
}

std::string make_earlier_calls(const EarlierCalls& earlier) {
  std::string text;
  if (!earlier.rows.empty())
    text += "  // The call under test fails only behind these in the same process.\n";
  for (const EarlierCalls::Row& row : earlier.rows) {
    text +=
        fmt::format("  for (int i = 0; i < {}; ++i) earlier_{}::call();\n", row.times, row.call);
  }
  return text;
}

std::string demand_no_leak(const std::string& call) {
  return "    const auto call = [&] {\n      try {\n        " + call +
         ";\n      } catch (const std::exception&) {\n      }\n    };\n" +
         std::string(kCppLeakCheck);
}

std::string run_function(const Reproduction& r, const ProgramPlan& plan) {
  const Case& c = plan.expected.c;
  std::string text = "\nint run([[maybe_unused]] int argc, [[maybe_unused]] char** argv) {\n";
  if (r.call.cpp.empty()) {
    return text +
           "  printf(\"cannot tell: the composite form is written in Python, in the Python "
           "program\\n\");\n  return 125;\n}\n";
  }
  if (plan.on_gpu) {
    return text +
           "  printf(\"cannot tell: what a GPU does is shown by the Python program\\n\");\n  "
           "return 125;\n}\n";
  }
  if (r.call.custom) {
    for (const std::string& path : r.call.libraries) {
      if (path.ends_with(".py")) {
        return text +
               "  printf(\"cannot tell: the implementation is a Python file, which the Python "
               "program loads\\n\");\n  return 125;\n}\n";
      }
    }
    std::vector<std::string> paths;
    for (const std::string& path : r.call.libraries) paths.push_back(quoted(path));
    text += fmt::format("  std::vector<std::string> libraries = {{{}}};\n", fmt::join(paths, ", "));
    text += kCppLoad;
  }
  if (const Capability capability = r.c.environment.capability; capability != Capability::kNative)
    text += fmt::format("  setenv(\"ATEN_CPU_CAPABILITY\", \"{}\", 1);\n", name(capability));
  if (plan.threads > 0) text += fmt::format("  at::set_num_threads({});\n", plan.threads);
  if (plan.watch_heap) text += "  c10::SetCPUAllocator(&guarded_allocator, 255);\n";
  if (plan.limit_memory) text += "  limit_memory();\n";
  if (plan.watch_state) text += "  c10::GradMode::set_enabled(false);\n";
  if (plan.watch_change) text += "  at::globalContext().setDeterministicAlgorithms(true, false);\n";
  text += make_earlier_calls(earlier_calls(r.before));
  text += fmt::format("  for (int attempt = 0; attempt < {}; ++attempt) {{\n", plan.attempts);
  std::vector<std::string> watched;
  for (const std::size_t k : build_order(c)) {
    text += build_operand(plan, k);
    const bool is_written = static_cast<int>(k) == plan.written;
    if (is_written && (plan.expected.must_refuse || plan.resized)) continue;
    if (c.operands[k].shares_memory_with < 0 && !is_host(c, k))
      watched.push_back("&" + plan.variables[k] + "_operand");
  }
  text += "    std::string wrong;\n";
  const std::string call = write_call(r.call.cpp, plan, {list, number, attribute});
  if (plan.watch_state) text += "    const State before = State::now();\n";
  if (plan.watch_leak) {
    text += demand_no_leak(call);
  } else {
    text += plan.expected.must_refuse ? demand_refusal(call)
                                      : demand_result(plan, r.verdict.kind, call);
  }
  if (plan.watch_change) text += kCppChangeCheck;
  if (plan.watch_state) text += kCppStateCheck;
  text += fmt::format("    for (const Operand* operand : std::vector<const Operand*>{{{}}}) {{\n",
                      fmt::join(watched, ", "));
  return text + std::string(kCppVerdict);
}

std::string data_definitions(const ProgramPlan& plan) {
  const Expectation& e = plan.expected;
  std::string text = operand_values(plan);
  if (e.must_refuse) return text;
  text += cpp_values("expected_values", e.result.dtype, e.values);
  std::vector<std::size_t> elements;
  std::vector<std::byte> choices;
  for (std::size_t i = 0; i < e.admissible.size(); ++i) {
    for (const auto& value : e.admissible[i]) {
      elements.push_back(i);
      choices.insert(choices.end(), value.begin(), value.end());
    }
  }
  text += fmt::format(
      "// Where several writes meet, any one of them may win: element choice_elements[j] may be "
      "choice_values[j].\n"
      "constexpr size_t kChoices = {};\nconst int64_t choice_elements[] = {{{}}};\n",
      elements.size(), elements.empty() ? "0" : fmt::format("{}", fmt::join(elements, ", ")));
  text += cpp_values("choice_values", e.result.dtype, choices);
  const Part part = part_of(e.result.dtype);
  text += fmt::format(
      "constexpr size_t kItem = {};\nusing Part = {};\nconstexpr uint64_t kInfinity = {};\n",
      item_size(e.result.dtype), part.type, part.infinity);
  return text;
}

bool has_number(const Case& c) {
  return std::ranges::any_of(overload_of(c).operands,
                             [](const OperandSpec& spec) { return spec.role == Role::kScalar; });
}

/// ATen's headers of the operators that the program calls.
std::string operator_includes(const Reproduction& r) {
  if (r.call.custom) return "#include <ATen/core/dispatch/Dispatcher.h>\n#include <dlfcn.h>\n";
  std::set<std::string_view> names{operator_of(r.c).name};
  for (const EarlierCall& earlier : r.before) names.insert(operator_of(earlier.c).name);
  std::string text;
  for (const std::string_view name : names) text += fmt::format("#include <ATen/ops/{}.h>\n", name);
  return text;
}

}  // namespace

std::string cpp_program(const Reproduction& r) {
  const ProgramPlan plan = program_plan(r);
  std::string text(kCppHowToCompile);
  text += fmt::format("// {}\n// {}\n", headline(r), one_line(r.signature));
  if (const std::string message = one_line(r.verdict.message.data()); !message.empty())
    text += fmt::format("// {}\n", message);
  text += fmt::format(
      "// Seen with PyTorch {}, in {} runs. Exits with 0 where the result is right, 1 where it is "
      "wrong, 125 where that\n"
      "// cannot be told.\n",
      one_line(r.torch_version), one_line(r.reruns));
  text +=
      "#include <ATen/core/Tensor.h>\n#include <ATen/ops/empty.h>\n#include "
      "<ATen/ops/from_blob.h>\n";
  if (plan.threads > 0) text += "#include <ATen/Parallel.h>\n";
  if (plan.watch_state) {
    for (const char* header : {"ATen/Context.h", "c10/core/GradMode.h",
                               "c10/core/impl/LocalDispatchKeySet.h", "cfenv", "limits"})
      text += fmt::format("#include <{}>\n", header);
  }
  if (plan.watch_change) text += "#include <ATen/Context.h>\n";
  if (plan.watch_leak) text += "#include <malloc.h>\n";
  if (plan.limit_memory) text += "#include <sys/resource.h>\n";
  text += operator_includes(r);
  if (plan.watch_heap) text += "#include <c10/core/CPUAllocator.h>\n";
  text += kCppIncludes;
  text += data_definitions(plan);
  text += "\n";
  text += kCppOperands;
  bool number_passed = has_number(r.c);
  for (const EarlierCall& earlier : r.before) number_passed |= has_number(earlier.c);
  if (number_passed) text += kCppNumber;
  if (!plan.expected.must_refuse) text += kCppCompare;
  if (plan.watch_heap) {
    const bool left = r.c.operands.front().guard == Guard::kLeft;
    text += fmt::format("\nconstexpr bool kHeapFlushLeft = {};\n", left);
    text += kCppHeap;
  }
  if (plan.limit_memory) text += kCppMemoryLimit;
  if (plan.watch_state) text += kCppState;
  if (plan.watch_leak) text += kCppHeld;
  if (!r.call.cpp.empty()) text += define_earlier_calls(earlier_calls(r.before));
  text += run_function(r, plan);
  text += kCppChild;
  return text;
}

}  // namespace indexfuzz
