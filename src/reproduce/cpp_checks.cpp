// The call under test in a C++ program, and the checks of its outcome.

#include "reproduce/cpp_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "case/far_slices.h"
#include "case/strings/replace_all.h"
#include "reproduce/cpp_operand_parts.h"
#include "reproduce/cpp_operands.h"
#include "reproduce/cpp_parts.h"
#include "reproduce/cpp_watch_parts.h"
#include "reproduce/values_code.h"

namespace indexfuzz {
namespace {

constexpr std::string_view kCppSharedMemory =
    R"(    for (const at::Tensor& operand : std::vector<at::Tensor>{{{}}}) {{
      if (actual.defined() && actual.has_storage() && operand.numel() > 0 && actual.numel() > 0 &&
          actual.storage().data() == operand.storage().data()) {{
        wrong = "the result shares memory with an operand";
      }}
    }}
)";
// Each of the results that differ is right by itself.
constexpr std::string_view kCppFirstResult =
    R"(    // What the first call returned.
    static const std::vector<unsigned char> first_result = elements_of(actual);
    const unsigned char* expected_values = first_result.data();
)";
constexpr std::string_view kCppHeapCheck =
    R"(    for (const auto& block : blocks) heap_damaged |= damaged(block.second);
    if (heap_damaged) wrong = "bytes beside an allocation of the call were changed";
)";
constexpr std::string_view kCppWrongAnyway = R"(        if (!wrong.empty()) {
          printf("WRONG: %s\n", wrong.c_str());
          return 1;
        }
)";

/// Goes after the call: a GPU reports an error in a kernel only when the program waits for it.
std::string wait_for(const ProgramPlan& plan) {
  return plan.on_gpu ? ";\n      wait_for_gpu()" : "";
}

/// Restores the written elements: what still differs lies beside them.
std::string put_back(const ProgramPlan& plan) {
  return plan.put_back ? fmt::format("    {0}_operand.put({0}_values);\n", written_variable(plan))
                       : "";
}

/// The call on illegal arguments.
std::string demand_refusal(const ProgramPlan& plan, const std::string& call) {
  std::string text =
      "    printf(\"expected: an ordinary error\\n\");\n    try {\n      const at::Tensor "
      "actual = " +
      call + wait_for(plan) + std::string(kCppRefusal);
  if (plan.on_gpu) text += kCppGpuRefusal;
  return text + "    }\n" + put_back(plan);
}

/// The call on legal arguments; the program ends if it is refused.
std::string make_call(const ProgramPlan& plan, const std::string& call) {
  std::string text = "    at::Tensor actual;\n    try {\n      actual = " + call + wait_for(plan) +
                     ";\n    } catch (const std::exception& error) {\n      printf(\"expected: a "
                     "result\\nactual:   %s\\n\", "
                     "first_line(error.what()).c_str());\n";
  std::string is_wrong = plan.any_refusal
                             ? "strstr(error.what(), \"not implemented for\") == nullptr"
                             : "strstr(error.what(), \"INTERNAL ASSERT\") != nullptr";
  if (plan.on_gpu) is_wrong += " || strstr(error.what(), \"CUDA error\") != nullptr";
  std::string refused_anyway;
  if (plan.watch.state) refused_anyway += kCppStateCheck;
  if (plan.watch.form) refused_anyway += kCppFormCheck;
  if (!refused_anyway.empty()) refused_anyway += kCppWrongAnyway;
  text += fmt::format("      if (!({})) {{\n{}        return 125;\n      }}\n", is_wrong,
                      refused_anyway);
  return text +
         "      printf(\"WRONG: the call ended with this error\\n\");\n      return 1;\n    }\n";
}

/// The part of the written operand that is compared: of a table, its last slices.
std::string compared_part(const ProgramPlan& plan) {
  const Operand& operand = operand_at(plan.expected.c, plan.written);
  return are_last(operand.slices)
             ? fmt::format(".narrow(0, {}, {})", slices_in_front(operand), operand.shape[0])
             : "";
}

/// Checks that the call returned the operand that it writes, and goes on with that operand.
std::string take_written(const ProgramPlan& plan, const std::string& written) {
  return fmt::format(
      "    if (!actual.is_same({0})) wrong = \"it returned another tensor than {0}\";\n    "
      "actual = {0}{1}{2};\n",
      written, plan.put_back ? "_memory" : "", compared_part(plan));
}

std::string compare_elements(const ProgramPlan& plan) {
  const ResultSpec& result = plan.expected.result;
  std::string text;
  // Conjugation and negation may be lazy: the comparison is of the resolved elements.
  if (info(result.dtype).family == DtypeFamily::kComplex)
    text += "    if (actual.defined()) actual = actual.resolve_conj().resolve_neg();\n";
  if (plan.watch.change) text += kCppFirstResult;
  text += fmt::format("    const Ints sizes = {};\n", cpp_ints(result.shape));
  text += fmt::format(
      "    if (actual.scalar_type() != {} || actual.sizes() != at::IntArrayRef(sizes){}) {{\n",
      info(result.dtype).cpp, plan.on_gpu ? " || actual.device() != kDevice" : "");
  return text + std::string(kCppElements);
}

/// What else may be wrong with a result besides its elements.
std::string check_result(const ProgramPlan& plan, Kind kind, const std::string& written) {
  std::string text;
  if (kind == Kind::kMetadata && written.empty()) {
    std::vector<std::string> inputs;
    for (const std::size_t k : build_order(plan.expected.c)) inputs.push_back(plan.variables[k]);
    text += fmt::format(fmt::runtime(kCppSharedMemory), fmt::join(inputs, ", "));
  }
  if (plan.watch.metadata)
    text += fmt::format(fmt::runtime(kCppFlagsCheck), written.empty() ? "actual" : written);
  if (plan.watch.metadata && !plan.put_back) text += kCppOverlapCheck;
  if (plan.watch.earlier) text += kCppEarlierCheck;
  text += put_back(plan);
  if (plan.watch.heap) text += kCppHeapCheck;
  return text;
}

std::string demand_result(const ProgramPlan& plan, Kind kind, const std::string& call) {
  const std::string written = written_variable(plan);
  std::string text;
  // The caller reads the same memory, whatever the call does to the tensor object.
  if (plan.put_back)
    text += fmt::format("    const at::Tensor {0}_memory = {0}.detach();\n", written);
  text += make_call(plan, call);
  if (!written.empty()) text += take_written(plan, written);
  return text + compare_elements(plan) + check_result(plan, kind, written);
}

/// Each call has operands of its own: a kernel that keeps them keeps more each time.
std::string demand_no_leak(const ProgramPlan& plan, const std::string& call) {
  std::string operands = "\n";
  for (const std::size_t k : build_order(plan.expected.c)) operands += cpp_operand(plan, k);
  operands.erase(operands.find_last_not_of('\n') + 1);
  replace_all(operands, "\n    ", "\n      ");
  return "    const auto call = [&] {" + operands + "\n      try {\n        " + call +
         ";\n      } catch (const std::exception&) {\n      }\n    };\n" +
         std::string(kCppLeakCheck);
}

}  // namespace

std::string call_under_test(const ProgramPlan& plan, Kind kind, const std::string& call) {
  if (plan.watch.leak) return demand_no_leak(plan, call);
  return plan.expected.must_refuse ? demand_refusal(plan, call) : demand_result(plan, kind, call);
}

}  // namespace indexfuzz
