// The stand-alone pytest file: the Python program as a test and, where that shows the same, the
// call as a person would test it.

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "memory/region.h"
#include "reproduce/plain_lines.h"
#include "reproduce/program_plan.h"
#include "reproduce/python_callers.h"
#include "reproduce/python_parts.h"
#include "reproduce/python_program.h"
#include "reproduce/reproduction.h"
#include "reproduce/test_names.h"
#include "reproduce/values_code.h"

namespace indexfuzz {
namespace {

/// {}: the test's name.
constexpr std::string_view kTest = R"(

def {}():
    """Runs this file as a program: it changes settings of its whole process, which the call may end."""
    import pytest

    run = subprocess.run([sys.executable, __file__], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if run.returncode == 125:
        pytest.skip((run.stdout.splitlines() or ["cannot tell"])[-1])
    if run.returncode != 0:
        pytest.fail(f"exit code {{run.returncode}}\n{{run.stdout}}", pytrace=False)

)";

/// {0}: the test's name; {1}: the operands; {2}: what is expected; {3}: the call.
constexpr std::string_view kPlainTest = R"(

def {0}_in_plain_pytorch():
    import pytest

    torch = pytest.importorskip("torch")
{1}    expected = {2}
    actual = {3}
    torch.testing.assert_close(actual, expected, rtol=0, atol=0, equal_nan=True)
)";

/// Dtypes whose tensors some versions of PyTorch cannot compare.
constexpr Dtype kNotCompared[] = {
    Dtype::kUInt16,     Dtype::kUInt32,         Dtype::kUInt64,         Dtype::kFloat8E4M3FN,
    Dtype::kFloat8E5M2, Dtype::kFloat8E4M3FNUZ, Dtype::kFloat8E5M2FNUZ, Dtype::kComplexHalf};

// A person would not write longer operands.
constexpr std::size_t kMostCharacters = 4000;

/// Whether a wrong element is another number than the right one, not only other bits (-0, another
/// NaN), and does not come from memory around an operand.
bool is_another_number(const Verdict& v, Dtype dtype) {
  if (v.value_bytes != item_size(dtype)) return false;
  for (const std::byte canary : {kCanary, kSmallCanary, kLargeCanary}) {
    if (is_made_of(v, canary)) return false;
  }
  if (dtype == Dtype::kBool) return std::to_integer<int>(v.actual[0]) <= 1;
  std::string right = element_text(dtype, v.expected.data());
  std::string wrong = element_text(dtype, v.actual.data());
  for (std::string* text : {&right, &wrong}) std::erase(*text, '-');
  return right != wrong &&
         (right.find("nan") == std::string::npos || wrong.find("nan") == std::string::npos);
}

/// Whether it shows in the result alone that the call is wrong.
bool shows_in_result(const Verdict& v, Dtype dtype) {
  if (v.status != Status::kFinding) return true;
  const std::string_view message = v.message.data();
  switch (v.kind) {
    case Kind::kValue: return is_another_number(v, dtype);
    case Kind::kRefusal: return true;
    case Kind::kMetadata:
      return message.starts_with(kWrongShape) || message.starts_with(kWrongDtype);
    case Kind::kCrash:
    case Kind::kHang:
    case Kind::kOom:
    case Kind::kMemory:
    case Kind::kInput:
    case Kind::kAccept:
    case Kind::kAssert:
    case Kind::kNondeterminism:
    case Kind::kLeak:
    case Kind::kDevice:
    case Kind::kGradient: return false;
  }
  return false;
}

/// Whether PyTorch's own operator fails by itself, in any process.
bool is_plain(const Reproduction& r, const ProgramPlan& plan) {
  const Expectation& e = plan.expected;
  const bool as_usual = !plan.on_gpu && !plan.in_child && !plan.deterministic &&
                        !plan.fill_new_memory && plan.attempts == 1 && plan.threads == 1 &&
                        r.before.empty() && r.c.environment.capability == Capability::kNative &&
                        !may_be_split(e.c);
  const bool lies_near = std::ranges::all_of(e.c.operands, [](const Operand& operand) {
    return operand.slices == SlicePlacement::kByLayout;
  });
  const bool calls_pytorch =
      python_callers(r.call.python).empty() && !uses(r.call.python, "on_meta");
  return as_usual && lies_near && calls_pytorch && !r.call.custom && !e.must_refuse &&
         !has_choices(e) &&
         std::ranges::find(kNotCompared, e.result.dtype) == std::end(kNotCompared) &&
         shows_in_result(r.verdict, e.result.dtype);
}

/// The call as a person would test it; empty where that would not show the same as the program.
std::string plain_test(const Reproduction& r) {
  const ProgramPlan plan = program_plan(r);
  if (!is_plain(r, plan)) return "";
  const CallLines lines = call_lines(plan, r.call);
  const ResultSpec& result = plan.expected.result;
  const std::string expected = python_values(result.dtype, result.shape, plan.expected.values);
  if (lines.operands.size() + expected.size() > kMostCharacters) return "";
  return fmt::format(fmt::runtime(kPlainTest), pytest_name(r), indented(lines.operands), expected,
                     lines.call);
}

}  // namespace

std::string pytest_file(const Reproduction& r) {
  return introduction(r, "#") +
         "# `pytest FILE` shows the same: passed, failed or skipped.\nimport subprocess\nimport "
         "sys\n" +
         plain_test(r) + fmt::format(fmt::runtime(kTest), pytest_name(r)) +
         "\nif __name__ == \"__main__\":\n" + indented(python_statements(r));
}

}  // namespace indexfuzz
