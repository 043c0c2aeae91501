#include "reproduce/issue_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "case/far_slices.h"
#include "judge/judge.h"
#include "memory/region.h"
#include "reproduce/plain_lines.h"
#include "reproduce/python_callers.h"
#include "reproduce/python_operands.h"
#include "reproduce/python_parts.h"
#include "reproduce/quoting.h"
#include "reproduce/reproduction.h"
#include "reproduce/values_code.h"

namespace indexfuzz {
namespace {

/// The operand that a verdict names; empty if it names none.
std::string named_operand(const Verdict& v, const ProgramPlan& plan) {
  const auto place = static_cast<std::size_t>(v.operand);
  return v.operand < 0 || place >= plan.variables.size() ? "" : plan.variables[place];
}

/// The earlier calls, without which the last one does not fail. A custom kernel may have refused a
/// legal one.
std::string earlier_lines(const Reproduction& r, const ProgramPlan& judged) {
  const EarlierCalls earlier = earlier_calls(r.before);
  const auto call = [&](const EarlierCalls::Row& row) {
    const EarlierCall& one = earlier.different[row.call];
    const CallLines lines = call_lines(program_plan(one), one.call);
    const std::string repeat =
        row.times == 1 ? "" : fmt::format("for _ in range({}):\n    ", row.times);
    return lines.operands +
           (one.c.breaks == 0 && !one.call.custom
                ? fmt::format("{}{}\n", repeat, lines.call)
                : fmt::format("{0}try:\n    {1}{2}\n{1}except Exception:\n    {1}pass\n", repeat,
                              row.times == 1 ? "" : "    ", lines.call));
  };
  const std::string text = write_rows(earlier, judged, python_set_threads, call);
  return text.empty() ? text : text + "\n";
}

/// The operands that are present tensors: "[self, index]".
std::string tensor_list(const ProgramPlan& plan) {
  const Case& c = plan.expected.c;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    if (c.operands[k].present && spec_of(c, static_cast<int>(k)).role != Role::kScalar)
      names.push_back(plan.variables[k]);
  }
  return fmt::format("[{}]", fmt::join(names, ", "));
}

/// The call within code that prints what is wrong with it.
std::string call_and_look(const Verdict& v, const ProgramPlan& plan, const std::string& call) {
  const std::string_view message = v.message.data();
  const std::string operand = named_operand(v, plan);
  if (changes_input(v, plan))
    return fmt::format("before = {0}.clone()\n{1}\nprint(before, {0})\n", operand, call);
  if (message == kAnotherTensor && !operand.empty())
    return fmt::format("print({} is {})\n", call, operand);
  if (message == kSharesWithOperand) {
    return fmt::format(
        "result = {}\nprint([result.untyped_storage().data_ptr() == "
        "operand.untyped_storage().data_ptr() for operand in {}])\n",
        call, tensor_list(plan));
  }
  const bool odd_bool = v.kind == Kind::kValue && v.value_bytes == 1 &&
                        plan.expected.result.dtype == Dtype::kBool &&
                        std::to_integer<int>(v.actual[0]) > 1;
  const Case& c = plan.expected.c;
  const bool is_table = plan.written >= 0 && are_last(operand_at(c, plan.written).slices);
  return fmt::format("print({}{}{})\n", call,
                     is_table ? python_last_slices(operand_at(c, plan.written)) : "",
                     odd_bool ? ".view(torch.uint8)" : "");
}

/// Whether `text` can stand in an `import` statement.
bool is_identifier(std::string_view text) {
  constexpr std::string_view kKeywords[] = {
      "and",    "as",   "assert", "async",  "await",    "break", "class", "continue", "def",
      "del",    "elif", "else",   "except", "finally",  "for",   "from",  "global",   "if",
      "import", "in",   "is",     "lambda", "nonlocal", "not",   "or",    "pass",     "raise",
      "return", "try",  "while",  "with",   "yield",    "None",  "True",  "False"};
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::ranges::all_of(text,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }) &&
         std::ranges::find(kKeywords, text) == std::end(kKeywords);
}

/// The lines that load the kernel as a person would. `library`: an absolute path.
std::string load_line(std::string_view library) {
  if (!is_python_file(library))
    return fmt::format("torch.ops.load_library({})\n", in_quotes(library));
  const std::size_t slash = library.rfind('/');
  const std::string_view file = library.substr(slash + 1);
  const std::string_view module = file.substr(0, file.rfind('.'));
  return fmt::format("sys.path.insert(0, {})\n{}\n", in_quotes(library.substr(0, slash)),
                     is_identifier(module) ? fmt::format("import {}", module)
                                           : fmt::format("__import__({})", in_quotes(module)));
}

std::string snippet(const Reproduction& r, const ProgramPlan& plan) {
  const Environment environment = r.c.environment;
  std::string text;
  if (environment.capability != Capability::kNative) {
    text += fmt::format("import os\n\nos.environ[\"ATEN_CPU_CAPABILITY\"] = \"{}\"\n",
                        name(environment.capability));
  }
  if (loads_python_file(r.call)) text += "import sys\n\n";
  text += "import torch\n\n";
  // Large work is split among all threads that there are unless their number is set.
  if (environment.threads > 1 || plan.vary_threads || may_be_split(plan.expected.c))
    text += python_set_threads(environment.threads);
  if (plan.on_gpu) text += fmt::format("torch.set_default_device(\"{}\")\n", r.call.device);
  if (plan.deterministic) text += "torch.use_deterministic_algorithms(True)\n";
  if (r.c.gpu.side_stream) text += "# On a stream that is still writing the operands: repro.py.\n";
  if (r.c.gpu.other_device) text += "# While another GPU is the current device: repro.py.\n";
  if (r.c.gpu.busy_memory) text += "# While another stream is at work on much memory: repro.py.\n";
  for (std::size_t k = 0; k < r.c.operands.size(); ++k) {
    if (const SlicePlacement slices = r.c.operands[k].slices; are_apart(slices))
      text += fmt::format("# {} has a stride of 2**{}: repro.py.\n", plan.variables[k],
                          far_exponent(slices));
    if (r.c.operands[k].on_host) text += fmt::format("# {} is on the CPU.\n", plan.variables[k]);
  }
  if (r.call.custom) {
    for (const std::string& library : r.call.libraries) text += load_line(library);
  }
  const CallLines lines = call_lines(plan, r.call);
  text += python_callers(lines.call);
  if (uses(lines.call, "on_meta")) text += kPythonBareMeta;
  return text + earlier_lines(r, plan) + lines.operands +
         call_and_look(r.verdict, plan, lines.call);
}

}  // namespace

bool changes_input(const Verdict& v, const ProgramPlan& plan) {
  return v.kind == Kind::kInput && v.signal == 0 && !named_operand(v, plan).empty();
}

std::string issue_lines(const Reproduction& r, const ProgramPlan& plan) {
  constexpr std::size_t kMost = 20'000;
  const std::string lines = snippet(r, plan);
  if (lines.size() <= kMost) return fmt::format("```python\n{}```\n\n", lines);
  return fmt::format(
      "The operands are too large to be written here; `repro.py` makes them, and this call:\n\n"
      "```python\nprint({})\n```\n\n",
      call_lines(plan, r.call).call);
}

}  // namespace indexfuzz
