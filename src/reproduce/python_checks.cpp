// The call under test in a Python program, and the checks of its outcome.

#include "reproduce/python_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reproduce/python_gpu.h"
#include "reproduce/python_operands.h"
#include "reproduce/python_parts.h"
#include "reproduce/values_code.h"

namespace indexfuzz {
namespace {

constexpr std::string_view kPythonCompare = R"(if not isinstance(actual, torch.Tensor):
    print(f"expected: a tensor of shape {tuple(expected.shape)}\nactual:   {actual}\nWRONG: no tensor came back")
    sys.exit(1)
if actual.device != expected.device or actual.layout != expected.layout:
    print(f"expected: {expected.layout} on {expected.device}\nactual:   {actual.layout} on {actual.device}\nWRONG: another kind of tensor came back")
    sys.exit(1)
if actual.shape != expected.shape or actual.dtype != expected.dtype:
    print(f"expected: {tuple(expected.shape)} of {expected.dtype}\nactual:   {tuple(actual.shape)} of {actual.dtype}")
    wrong.append("shape or dtype")
else:
    places = [i for i, equal in enumerate(same(actual, expected).reshape(-1).tolist()) if not equal]
)";
// Each of the results that differ is right by itself.
constexpr std::string_view kPythonFirstResult = R"(# What the first call returned.
expected = actual.clone() if attempt == 0 else expected
)";
constexpr std::string_view kPythonAdmissible = R"(    flat = actual.reshape(-1)
    places = [i for i in places if not any(same(flat[i].expand_as(admissible[i]), admissible[i]).tolist() if i in admissible else [])]
)";
constexpr std::string_view kPythonTolerance =
    R"(    flat, right = actual.reshape(-1), expected.reshape(-1)
    places = [i for i in places if not (i in tolerance and abs(flat[i].item() - right[i].item()) <= tolerance[i])]
)";
constexpr std::string_view kPythonFirstElements = R"(    if places:
        first = places[:8]
        print(f"elements {first} (row-major)\nexpected: {expected.reshape(-1)[first].tolist()}\nactual:   {actual.reshape(-1)[first].tolist()}")
        wrong.append(f"{len(places)} elements")
)";
constexpr std::string_view kPythonThereInTime = R"(    if not same(there, actual).all():
        wrong.append("the result was not there yet when the call returned")
)";
constexpr std::string_view kPythonSharedMemory = R"(for operand in [{}]:
    if operand.numel() and actual.numel() and actual.untyped_storage().data_ptr() == operand.untyped_storage().data_ptr():
        wrong.append("the result shares memory with an operand")
)";

constexpr std::string_view kPythonEndsProgram = R"(    if not isinstance(error, Exception):
        wrong.append("it ended the program")
)";

/// Of a larger result, only wrong elements are printed.
constexpr std::int64_t kMostPrinted = 64;

std::string tolerances(const Expectation& e) {
  std::string text;
  for (std::size_t i = 0; i < e.tolerance.size(); ++i) {
    if (e.tolerance[i] > 0) text += fmt::format("    {}: {},\n", i, e.tolerance[i]);
  }
  if (text.empty()) return text;
  return fmt::format("# {} (by row-major index).\ntolerance = {{\n{}}}\n", why_several(e), text);
}

std::string admissible_values(const ProgramPlan& plan) {
  const Expectation& e = plan.expected;
  std::string text;
  for (std::size_t i = 0; i < e.admissible.size(); ++i) {
    if (e.admissible[i].empty()) continue;
    std::vector<std::byte> choices;
    for (const auto& value : e.admissible[i])
      choices.insert(choices.end(), value.begin(), value.end());
    text += fmt::format(
        "    {}: {},\n", i,
        python_values(e.result.dtype, Dims{static_cast<std::int64_t>(e.admissible[i].size())},
                      choices));
  }
  if (text.empty()) return text;
  return fmt::format("# {} (by row-major index).\nadmissible = {{\n{}}}\n", why_several(e), text);
}

/// What the program catches around the call: a kernel in Python may also raise SystemExit.
std::string_view caught(const Reproduction& r) {
  return loads_python_file(r.call) ? "BaseException" : "Exception";
}

/// Keeps the written elements, and access to them whatever the call does to the tensor object.
std::string keep_written(const ProgramPlan& plan) {
  if (!plan.put_back) return "";
  const Layout& layout = operand_at(plan.expected.c, plan.written).layout;
  // Elements that share memory are kept, and put back, once.
  const std::string_view once =
      has_expanded(layout) ? "[tuple(slice(1 if stride == 0 else None) for stride in {0}.stride())]"
                           : "";
  return fmt::format(fmt::runtime("{0}_memory = {1}.detach()" + std::string(once) +
                                  "\n{0}_before = {0}_memory.clone()\n"),
                     written_variable(plan),
                     elements_of(plan, static_cast<std::size_t>(plan.written)));
}

/// Puts the written elements back: what still differs lies beside them.
std::string put_back(const ProgramPlan& plan) {
  return plan.put_back ? fmt::format("{0}_memory.copy_({0}_before)\n", written_variable(plan)) : "";
}

/// The call on illegal arguments.
std::string demand_refusal(const Reproduction& r, const ProgramPlan& plan,
                           const std::string& call) {
  return keep_written(plan) + "try:\n    actual = " + call + python_behind_gpu_call(r, plan) + R"(
except AttributeError:  # this PyTorch has no such operator
    raise
except )" +
         std::string(caught(r)) +
         R"( as error:
    print(f"expected: an ordinary error\nactual:   {type(error).__name__}: {error}")
    if "INTERNAL ASSERT" in str(error):
        wrong.append("an internal assertion failed")
    if "Caught an unknown exception" in str(error):
        wrong.append("something that is not a std::exception was thrown")
    if isinstance(error, MemoryError):
        wrong.append("memory ran out")
)" + std::string(loads_python_file(r.call) ? kPythonEndsProgram : "") +
         std::string(plan.on_gpu ? kPythonGpuRefusal : "") +
         R"(else:
    wrong.append("illegal arguments were accepted")
    try:
        print(f"expected: an ordinary error\nactual:   returned {actual}")
    except Exception as error:
        print(f"expected: an ordinary error\nactual:   returned what cannot be printed: {error}")
)" + put_back(plan);
}

/// The call on legal arguments; the program ends if it is refused.
std::string make_call(const Reproduction& r, const ProgramPlan& plan, const std::string& call) {
  std::string text = "try:\n    actual = " + call + python_behind_gpu_call(r, plan) +
                     "\nexcept AttributeError:  # this PyTorch has no such operator\n    raise\n";
  text += fmt::format("except {} as error:\n", caught(r));
  text += "    print(f\"expected: a result\\nactual:   {type(error).__name__}: {error}\")\n";
  std::string refused_anyway = plan.watch.state ? std::string(kPythonStateCheck) : "";
  if (plan.watch.form)
    refused_anyway += std::string(kPythonFormCheck) +
                      "if wrong:\n    print(\"WRONG: \" + \"; \".join(wrong))\n    sys.exit(1)\n";
  if (!refused_anyway.empty()) refused_anyway = indented(indented(refused_anyway));
  text += fmt::format(
      "    if not ({}{}):\n{}        sys.exit(125)\n",
      plan.any_refusal ? "\"not implemented for\" not in str(error)"
                       : "\"INTERNAL ASSERT\" in str(error)",
      plan.on_gpu ? " or \"CUDA error\" in str(error) or \"Error [CUDA]\" in str(error)" : "",
      refused_anyway);
  return text + "    print(\"WRONG: the call ended with this error\")\n    sys.exit(1)\n";
}

/// Checks that the call returned the operand that it writes, and goes on with that operand.
std::string take_written(const ProgramPlan& plan, const std::string& written) {
  std::string text = fmt::format(
      "if actual is not {0} and actual is not None:\n    wrong.append(\"it returned another "
      "tensor than {0}\")\n",
      written);
  // clone() of a bool tensor turns every byte other than 0 into 1.
  const std::string_view copy = plan.expected.result.dtype == Dtype::kBool
                                    ? "_memory.view(torch.uint8).clone().view(torch.bool)"
                                    : "_memory.clone()";
  text += plan.put_back ? fmt::format("actual = {}{}\n", written, copy)
                        : fmt::format("actual = {}\n",
                                      elements_of(plan, static_cast<std::size_t>(plan.written)));
  return text + put_back(plan);
}

std::string compare_elements(const ProgramPlan& plan) {
  const Expectation& e = plan.expected;
  std::string admissible, tolerance, text;
  if (plan.watch.change) {
    text = kPythonFirstResult;
  } else {
    admissible = admissible_values(plan);
    tolerance = tolerances(e);
    text = fmt::format("expected = {}\n{}", python_values(e.result.dtype, e.result.shape, e.values),
                       admissible + tolerance);
  }
  text += kPythonCompare;
  if (!admissible.empty()) text += kPythonAdmissible;
  if (!tolerance.empty()) text += kPythonTolerance;
  if (numel(e.result.shape) > kMostPrinted) return text + std::string(kPythonFirstElements);
  // Of several attempts, only a wrong one is printed.
  text += fmt::format(
      "    {}print(f\"expected: {{expected.tolist()}}\\nactual:   {{actual.tolist()}}\")\n",
      plan.attempts == 1 ? "" : "if places:\n        ");
  return text + "    if places:\n        wrong.append(f\"elements {places} (row-major)\")\n";
}

/// What else may be wrong with a result besides its elements.
std::string check_result(const Reproduction& r, const ProgramPlan& plan,
                         const std::string& written) {
  std::string text;
  if (r.verdict.kind == Kind::kMetadata && written.empty()) {
    std::vector<std::string> inputs;
    for (const std::size_t k : build_order(plan.expected.c)) inputs.push_back(plan.variables[k]);
    text += fmt::format(fmt::runtime(kPythonSharedMemory), fmt::join(inputs, ", "));
  }
  if (plan.watch.metadata)
    text += fmt::format(fmt::runtime(kPythonFlagsCheck), written.empty() ? "actual" : written);
  if (plan.watch.metadata && !plan.put_back) text += kPythonOverlapCheck;
  if (plan.watch.earlier) text += kPythonEarlierCheck;
  if (plan.watch.heap) text += "del actual  # checked by the allocator as it is given back\n";
  return text;
}

std::string demand_result(const Reproduction& r, const ProgramPlan& plan, const std::string& call) {
  const std::string written = written_variable(plan);
  std::string text;
  text += keep_written(plan) + make_call(r, plan, call);
  if (!written.empty()) text += take_written(plan, written);
  text += compare_elements(plan);
  if (plan.expected.c.gpu.side_stream && plan.on_gpu) text += kPythonThereInTime;
  return text + check_result(r, plan, written);
}

/// Each call has operands of its own: a kernel that keeps them keeps more each time.
std::string demand_no_leak(const ProgramPlan& plan, const std::string& call) {
  std::string body;
  for (const std::size_t k : build_order(plan.expected.c)) body += python_operand(plan, k);
  body += fmt::format("try:\n    {}\nexcept Exception:\n    pass\n", call);
  return fmt::format("def call():\n{}\n\n{}", indented(body),
                     plan.on_gpu ? python_gpu_leak_check() : std::string(kPythonLeakCheck));
}

}  // namespace

std::string call_under_test(const Reproduction& r, const ProgramPlan& plan,
                            const std::string& call) {
  if (plan.watch.leak) return demand_no_leak(plan, call);
  return plan.expected.must_refuse ? demand_refusal(r, plan, call) : demand_result(r, plan, call);
}

}  // namespace indexfuzz
