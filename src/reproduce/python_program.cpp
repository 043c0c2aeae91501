// The stand-alone Python program: plain torch, nothing of ours.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "case/strings/replace_all.h"
#include "memory/placement.h"
#include "reproduce/program_plan.h"
#include "reproduce/python_callers.h"
#include "reproduce/python_checks.h"
#include "reproduce/python_gpu.h"
#include "reproduce/python_operands.h"
#include "reproduce/python_parts.h"
#include "reproduce/python_program.h"
#include "reproduce/quoting.h"
#include "reproduce/reproduction.h"
#include "reproduce/values_code.h"

namespace indexfuzz {
namespace {

/// Functions for the calls before the judged one, and the lines that call them.
std::string make_earlier_calls(const Reproduction& r, const ProgramPlan& judged) {
  const EarlierCalls earlier = earlier_calls(r.before);
  std::string text;
  for (std::size_t i = 0; i < earlier.different.size(); ++i) {
    const EarlierCall& one = earlier.different[i];
    ProgramPlan plan = program_plan(one);
    plan.one_place = judged.one_place;
    plan.guarded = judged.guarded;
    std::string lines;
    for (const std::size_t k : build_order(plan.expected.c)) lines += python_operand(plan, k);
    const std::string call = write_call(one.call.python, plan, python_call_writer());
    lines += fmt::format("try:\n    {}\nexcept Exception:\n    pass\n",
                         judged.watch.earlier ? "earlier_results.append(" + call + ")" : call);
    text += fmt::format("\ndef earlier_call_{}():\n{}\n", i, indented(lines));
  }
  if (!text.empty())
    text += "\n# The call under test fails only after these, in the same process.\n";
  text += write_rows(earlier, judged, python_set_threads, [](const EarlierCalls::Row& row) {
    return row.times == 1
               ? fmt::format("earlier_call_{}()\n", row.call)
               : fmt::format("for _ in range({}):\n    earlier_call_{}()\n", row.times, row.call);
  });
  return text.empty() ? text : text + "\n";
}

/// Creates the operands and records their memory and their metadata before the call.
std::string lay_out_operands(const Reproduction& r, const ProgramPlan& plan) {
  std::string text;
  for (const std::size_t k : build_order(plan.expected.c)) text += python_operand(plan, k);
  std::vector<std::string> watched, forms;
  for (const std::size_t k : watched_operands(plan))
    watched.push_back(fmt::format("\"{}\": {}", plan.variables[k], memory_of(plan, k)));
  text += fmt::format(
      "\nmemory = {{{}}}\nbefore = {{name: bytes_of(tensor) for name, tensor in memory.items()}}\n"
      "wrong = []\n",
      fmt::join(watched, ", "));
  if (!plan.watch.form) return text;
  for (const std::size_t k : build_order(plan.expected.c)) {
    if (keeps_form(r, static_cast<int>(k)))
      forms.push_back(fmt::format("\"{0}\": ({0}, form({0}))", plan.variables[k]));
  }
  return text + fmt::format("forms = {{{}}}\n", fmt::join(forms, ", "));
}

/// Makes the inputs read-only if the plan asks for it.
std::string protect_inputs(const ProgramPlan& plan) {
  std::vector<std::string> inputs;
  for (const std::size_t k : watched_operands(plan)) {
    const bool is_table = are_last(plan.expected.c.operands[k].slices);
    if (static_cast<int>(k) != plan.written && !is_table) inputs.push_back(memory_of(plan, k));
  }
  if (!plan.read_only || inputs.empty()) return "";
  return fmt::format(fmt::runtime(kPythonReadOnly), fmt::join(inputs, ", "));
}

/// The part that is repeated for an intermittent finding.
std::string attempt(const Reproduction& r, const ProgramPlan& plan) {
  const std::string call = write_call(r.call.python, plan, python_call_writer());
  if (plan.watch.leak) return call_under_test(r, plan, call);
  std::string text = lay_out_operands(r, plan);
  text += python_before_gpu_call(r, plan, call);
  if (plan.watch.state) text += "state_before = state()\n";
  text += protect_inputs(plan);
  text += call_under_test(r, plan, call);
  if (plan.watch.state) text += kPythonStateCheck;
  if (plan.watch.form) text += kPythonFormCheck;
  return text + std::string(kPythonVerdict);
}

/// The bytes of the largest storage of any operand of any call; at least 1.
std::int64_t largest_storage(const Reproduction& r) {
  std::vector<Case> cases{r.c};
  for (const EarlierCall& one : r.before) cases.push_back(one.c);
  std::int64_t largest = 1;
  for (const Case& c : cases) {
    for (const Operand& operand : with_placed_layouts(c).operands) {
      const std::int64_t elements = strided(operand.shape, operand.layout).storage_elements;
      largest = std::max(largest, elements * static_cast<std::int64_t>(item_size(operand.dtype)));
    }
  }
  return largest;
}

/// The program's beginning, up to `import torch`. `guarded`: it maps memory of its own.
std::string imports(const Reproduction& r, const ProgramPlan& plan, bool guarded) {
  const bool ctypes =
      guarded || plan.watch.state || plan.watch.leak || (plan.fill_new_memory && !plan.on_gpu);
  struct Module {
    bool is_used;
    std::string_view name;
  };
  const Module modules[] = {{plan.in_child, "atexit"},
                            {ctypes, "ctypes"},
                            {loads_python_file(r.call), "importlib"},
                            {plan.watch.state, "locale"},
                            {guarded, "mmap"},
                            {true, "os"},
                            {plan.limit_memory, "resource"},
                            {plan.look_closer, "shutil"},
                            {plan.watch.state, "signal"},
                            {plan.in_child || plan.look_closer, "subprocess"},
                            {true, "sys"},
                            {plan.in_child, "time"}};
  std::string text;
  for (const Module& module : modules) {
    if (module.is_used) text += fmt::format("import {}\n", module.name);
  }
  text += python_cannot_tell(plan.in_child);
  text += plan.in_child ? python_child(plan.watch.heap, plan.must_answer) : "\n";
  if (const Capability capability = r.c.environment.capability; capability != Capability::kNative)
    text += fmt::format("os.environ[\"ATEN_CPU_CAPABILITY\"] = \"{}\"\n", name(capability));
  return text + "import torch\n";
}

/// What is set once: the device, the libraries, PyTorch's settings, the limits of the process.
std::string set_up(const Reproduction& r, const ProgramPlan& plan) {
  std::string text;
  if (plan.on_gpu) text += python_gpu(plan, r.call.device);
  if (r.call.custom && !r.call.libraries.empty()) {
    std::vector<std::string> paths;
    for (const std::string& path : r.call.libraries) paths.push_back(python_path(path));
    text += fmt::format("for library in sys.argv[1:] or [{}]:\n", fmt::join(paths, ", "));
    text += loads_python_file(r.call) ? kPythonImport : kPythonLoad;
  }
  text += python_set_threads(plan.threads);
  if (plan.deterministic) text += "torch.use_deterministic_algorithms(True)\n";
  if (plan.limit_memory) text += kPythonMemoryLimit;
  if (plan.fill_new_memory) text += plan.on_gpu ? kPythonGpuNewMemory : kPythonNewMemory;
  return text;
}

/// The functions that `calls` use.
std::string definitions(const Reproduction& r, const ProgramPlan& plan, const std::string& calls,
                        bool guarded) {
  std::string text(kPythonBytes);
  if (plan.watch.state) text += kPythonState;
  if (plan.grad_mode)
    text += fmt::format("\n\ntorch.set_grad_enabled({})\n", *plan.grad_mode ? "True" : "False");
  if (plan.watch.leak && !plan.on_gpu) text += kPythonHeld;
  if (plan.watch.form) text += kPythonForm;
  text += python_callers(calls);
  const bool has_data = !uses(calls, "on_meta");
  if (!has_data) text += kPythonMeta;
  if (plan.watch.earlier) text += "\nearlier_results = []\n";
  if (plan.one_place)
    text += fmt::format(fmt::runtime(kPythonPlaces), largest_storage(r));
  else if (uses(calls, "canaries"))
    text += kPythonCanaries;
  if (uses(calls, "table")) text += kPythonTable;
  if (guarded) text += python_guarded(plan.one_place ? largest_storage(r) : 0);
  if (!plan.expected.must_refuse && has_data)
    text += python_same(info(plan.expected.result.dtype).family);
  return text + "\n";
}

/// The last lines before "right": a program that could not have seen the failure says so.
std::string closing_checks(const Reproduction& r, const ProgramPlan& plan) {
  std::string text;
  if (plan.watch.heap) text += kPythonHeapWatched;
  if (plan.watch.heap && r.verdict.signal != 0) text += kPythonNothingOverwritten;
  if (std::string_view(r.verdict.message.data()).find(kWarningHandler) != std::string_view::npos)
    text += kPythonOwnHandler;
  return text;
}

}  // namespace

std::string python_statements(const Reproduction& r) {
  const ProgramPlan plan = program_plan(r);
  const std::string judged = attempt(r, plan), earlier = make_earlier_calls(r, plan);
  const bool guarded = plan.read_only || uses(judged + earlier, "guarded");
  std::string text =
      imports(r, plan, guarded) + set_up(r, plan) + definitions(r, plan, judged + earlier, guarded);
  const std::string begin = plan.in_child ? "tell(b\".\")\n" : "";
  text += earlier.empty() ? earlier : begin + earlier;
  text += plan.attempts == 1 ? begin + judged
                             : fmt::format("for attempt in range({}):\n{}", plan.attempts,
                                           indented(begin + judged));
  text += closing_checks(r, plan);
  // torch.frombuffer makes a tensor on the host.
  if (plan.on_gpu) replace_all(text, "torch.frombuffer(bytearray", "on_gpu(bytearray");
  if (plan.look_closer) text += kPythonLookCloser;
  return text + "print(\"right\")\n";
}

std::string python_program(const Reproduction& r) {
  return introduction(r, "#") + python_statements(r);
}

}  // namespace indexfuzz
