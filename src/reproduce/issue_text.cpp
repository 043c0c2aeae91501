// The text to file upstream: a title, a few lines that fail, the expected and the actual result.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "case/far_slices.h"
#include "judge/judge.h"
#include "judge/sharing.h"
#include "memory/region.h"
#include "reproduce/plain_lines.h"
#include "reproduce/program_plan.h"
#include "reproduce/python_callers.h"
#include "reproduce/python_parts.h"
#include "reproduce/quoting.h"
#include "reproduce/reproduction.h"
#include "reproduce/values_code.h"

namespace indexfuzz {
namespace {

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

/// The operand that a verdict names; empty if it names none.
std::string named_operand(const Verdict& v, const ProgramPlan& plan) {
  const auto place = static_cast<std::size_t>(v.operand);
  return v.operand < 0 || place >= plan.variables.size() ? "" : plan.variables[place];
}

/// Whether the call changed the elements of an input that the verdict names.
bool changes_input(const Verdict& v, const ProgramPlan& plan) {
  return v.kind == Kind::kInput && v.signal == 0 && !named_operand(v, plan).empty();
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
  return fmt::format("print({}{})\n", call, odd_bool ? ".view(torch.uint8)" : "");
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
  if (!is_python_file(library)) return fmt::format("torch.ops.load_library({})\n", quoted(library));
  const std::size_t slash = library.rfind('/');
  const std::string_view file = library.substr(slash + 1);
  const std::string_view module = file.substr(0, file.rfind('.'));
  return fmt::format("sys.path.insert(0, {})\n{}\n", quoted(library.substr(0, slash)),
                     is_identifier(module) ? fmt::format("import {}", module)
                                           : fmt::format("__import__({})", quoted(module)));
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
    if (const Slices slices = r.c.operands[k].slices; slices != Slices::kNear)
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

/// The lines that fail, or the call alone if they are too long for a tracker.
std::string code_block(const Reproduction& r, const ProgramPlan& plan) {
  constexpr std::size_t kMost = 20'000;
  const std::string lines = snippet(r, plan);
  if (lines.size() <= kMost) return fmt::format("```python\n{}```\n\n", lines);
  return fmt::format(
      "The operands are too large to be written here; `repro.py` makes them, and this call:\n\n"
      "```python\nprint({})\n```\n\n",
      call_lines(plan, r.call).call);
}

/// "9 of 10" for "intermittent 9/10".
std::string in_words(std::string_view reruns) {
  std::string text =
      one_line(reruns.substr(std::min(reruns.find_first_of("0123456789"), reruns.size())));
  if (const std::size_t slash = text.find('/'); slash != std::string::npos)
    text.replace(slash, 1, " of ");
  return text;
}

std::string expected_words(const Reproduction& r, const ProgramPlan& plan) {
  const Expectation& e = plan.expected;
  if (took_outside_contract(r.verdict, r.c)) {
    return fmt::format("An error: {}.", one_line(r.verdict.message.data()));
  }
  if (e.must_refuse) {
    std::string rule(rule_of(e.c) != nullptr ? rule_of(e.c)->name : "");
    std::ranges::replace(rule, '_', ' ');
    for (std::size_t k = 0; k < e.c.operands.size() && k < plan.variables.size(); ++k) {
      if (e.c.operands[k].poked)
        rule += fmt::format(": {} holds {}", plan.variables[k], e.c.operands[k].poke_value);
    }
    const bool shares = std::ranges::any_of(
        e.c.operands, [](const Operand& operand) { return operand.shares_memory_with >= 0; });
    return fmt::format("An error{}: the arguments are illegal ({}){}.",
                       shares_with_gaps(e.c) ? ", as for operands without gaps" : "", rule,
                       shares && (r.call.custom || shares_with_gaps(e.c))
                           ? ", or else the right result in spite of it"
                           : "");
  }
  std::string text =
      fmt::format("A tensor of shape {} and dtype {}: `{}`", python_tuple(e.result.shape),
                  info(e.result.dtype).name, values_text(e.result.dtype, e.result.shape, e.values));
  if (has_choices(e)) text += fmt::format(". {}", why_several(e.agreement));
  return text + ".";
}

std::string actual_words(const Reproduction& r, const ProgramPlan& plan) {
  const Verdict& v = r.verdict;
  std::string text;
  if (v.kind == Kind::kCrash && v.signal == 0) text = "The process ends. ";
  if (v.signal != 0)
    text = fmt::format("The process dies of signal {}. ", static_cast<int>(v.signal));
  if (v.kind == Kind::kOom && !plan.on_gpu)
    text = "The call takes more than 512 MiB beyond what its process holds. ";
  const bool has_values = !plan.expected.must_refuse && v.element >= 0 &&
                          v.value_bytes == item_size(plan.expected.result.dtype);
  if (v.kind == Kind::kValue && has_values) {
    const Dtype dtype = plan.expected.result.dtype;
    text += fmt::format(
        "{} wrong element{}; the first, number {} in row-major order, is `{}` instead of `{}`. ",
        v.wrong_elements, v.wrong_elements == 1 ? "" : "s", v.element,
        element_text(dtype, v.actual.data()), element_text(dtype, v.expected.data()));
    if (is_made_of(v, kCanary)) {
      text +=
          "That is what lies around all inputs, byte for byte 0xFE: what lies beside one was "
          "read. ";
    }
    if (is_made_of(v, kSmallCanary)) {
      text +=
          "That is what lies in new memory and around what the call writes, byte for byte 0x42: "
          "the element was never written, or one beside it was read. ";
    }
    if (is_made_of(v, kLargeCanary)) {
      text +=
          "That is what lies around what the call writes, byte for byte 0xFD: what lies beside it "
          "was read. ";
    }
  }
  if (v.kind == Kind::kAccept)
    text += "No error: the call is carried out. ";
  else if (const std::string message = one_line(v.message.data()); !message.empty())
    text += fmt::format("`{}`", message);
  while (text.ends_with(' ')) text.pop_back();
  if (!text.empty()) return text;
  return v.kind == Kind::kValue ? "Wrong elements; which ones was not seen again." : headline(r);
}

}  // namespace

std::string issue_text(const Reproduction& r) {
  const ProgramPlan plan = program_plan(r);
  std::string text = fmt::format("# {}\n\n", headline(r));
  text += code_block(r, plan);
  text += fmt::format("**Expected.** {}{}\n\n**Actual.** {}\n\n", expected_words(r, plan),
                      plan.watch_state ? " All that other calls depend on is as it was before."
                      : changes_input(r.verdict, plan) ? " The inputs are as they were before."
                                                       : "",
                      actual_words(r, plan));
  if (plan.read_only) {
    text +=
        "The lines above may show nothing wrong, where what was there is put back. In the "
        "stand-alone programs `repro.py` and `repro.cpp` the inputs are read-only: writing to one "
        "ends the process.\n\n";
  } else if (plan.guarded) {
    text +=
        "The lines above may seem to work: the call touches memory that is not its own, which "
        "shows where that memory is "
        "inaccessible. ";
    text += plan.watch_heap
                ? "The stand-alone program `repro.cpp` arranges that; `repro.py` sees only what is "
                  "overwritten for good.\n\n"
                : "The stand-alone programs `repro.py` and `repro.cpp` arrange that.\n\n";
  }
  if (plan.watch_state || plan.watch_leak) {
    text += fmt::format(
        "The lines above show nothing wrong: what the call {} is seen around {} only. The "
        "stand-alone programs `repro.py` and `repro.cpp` look there.\n\n",
        plan.watch_state ? "leaves changed" : "keeps", plan.watch_state ? "it" : "very many calls");
  }
  if (!r.before.empty())
    text +=
        "The last call fails only after the others, in the same process. The lines above may show "
        "nothing wrong: in `repro.py` each operand lies where the one of the same name lay "
        "before.\n\n";
  if (plan.intermittent)
    text += "It does not happen every time: the stand-alone programs repeat the call.\n\n";
  text += fmt::format(
      "It failed in {} runs in fresh processes of {}, with PyTorch {}, implementation `{}`.\n\n",
      in_words(r.reruns),
      plan.threads == 1 ? "one thread" : fmt::format("{} threads", plan.threads),
      one_line(r.torch_version), one_line(r.call.implementation));
  if (!r.aten_reason.empty()) {
    text += fmt::format(
        "PyTorch's own operator fails so on this case, and with it what hands such calls on to it: "
        "{}\n\n",
        one_line(r.aten_reason));
  }
  text += "Operands:\n\n";
  for (std::size_t k = 0; k < plan.variables.size(); ++k) {
    const Operand& operand = plan.expected.c.operands[k];
    if (!operand.present) continue;
    if (spec_of(plan.expected.c, static_cast<int>(k)).role == Role::kScalar) {
      text += fmt::format("* `{}`: the number {} ({})\n", plan.variables[k],
                          element_text(operand.dtype, plan.expected.operands[k].data()),
                          info(operand.dtype).name);
      continue;
    }
    const Strided view = far_view(operand);
    text += fmt::format("* `{}`: {} of shape {}, strides {}, storage offset {}\n",
                        plan.variables[k], info(operand.dtype).name, python_tuple(operand.shape),
                        python_tuple(view.strides), view.storage_offset);
  }
  text += fmt::format(
      "\nSignature: {}\n\n{} It was found by a differential fuzzer, which compares each result "
      "with an independent computation in plain loops.\n",
      one_line(r.signature),
      plan.intermittent ? "The case was made smaller as long as it was seen to fail."
                        : "No smaller case that fails in the same way was found.");
  return text;
}

}  // namespace indexfuzz
