// The text to file upstream: a title, a few lines that fail, the expected and the actual result.

#include <fmt/format.h>

#include <algorithm>

#include "case/far_slices.h"
#include "case/strings/counted.h"
#include "judge/judge.h"
#include "judge/sharing.h"
#include "memory/region.h"
#include "ops/definition/illegal_rule.h"
#include "reproduce/issue_lines.h"
#include "reproduce/program_plan.h"
#include "reproduce/quoting.h"
#include "reproduce/reproduction.h"
#include "reproduce/values_code.h"

namespace indexfuzz {
namespace {

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
  if (has_choices(e)) text += fmt::format(". {}", why_several(e));
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
    text += fmt::format("{}; the first, number {} in row-major order, is `{}` instead of `{}`. ",
                        plural(static_cast<std::uint64_t>(v.wrong_elements), "wrong element"),
                        v.element, element_text(dtype, v.actual.data()),
                        element_text(dtype, v.expected.data()));
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

/// Why the lines of the issue may not show by themselves what is wrong.
std::string caveats(const Reproduction& r, const ProgramPlan& plan) {
  std::string text;
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
    text += plan.watch.heap
                ? "The stand-alone program `repro.cpp` arranges that; `repro.py` sees only what is "
                  "overwritten for good.\n\n"
                : "The stand-alone programs `repro.py` and `repro.cpp` arrange that.\n\n";
  }
  if (plan.watch.state || plan.watch.leak) {
    text += fmt::format(
        "The lines above show nothing wrong: what the call {} is seen around {} only. The "
        "stand-alone programs `repro.py` and `repro.cpp` look there.\n\n",
        plan.watch.state ? "leaves changed" : "keeps", plan.watch.state ? "it" : "very many calls");
  }
  if (!r.before.empty())
    text +=
        "The last call fails only after the others, in the same process. The lines above may show "
        "nothing wrong: in `repro.py` each operand lies where the one of the same name lay "
        "before.\n\n";
  if (plan.intermittent)
    text += "It does not happen every time: the stand-alone programs repeat the call.\n\n";
  return text;
}

std::string operand_list(const ProgramPlan& plan) {
  std::string text = "Operands:\n\n";
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
    text +=
        fmt::format("* `{}`: {} of shape {}, strides {}, storage offset {}\n", plan.variables[k],
                    info(operand.dtype).name, python_tuple(called_shape(operand)),
                    python_tuple(view.strides), view.storage_offset);
  }
  return text;
}

}  // namespace

std::string issue_text(const Reproduction& r) {
  const ProgramPlan plan = program_plan(r);
  std::string text = fmt::format("# {}\n\n", headline(r));
  text += issue_lines(r, plan);
  text += fmt::format("**Expected.** {}{}\n\n**Actual.** {}\n\n", expected_words(r, plan),
                      plan.watch.state ? " All that other calls depend on is as it was before."
                      : changes_input(r.verdict, plan) ? " The inputs are as they were before."
                                                       : "",
                      actual_words(r, plan));
  text += caveats(r, plan);
  text += fmt::format(
      "It failed in {} of {} runs in fresh processes of {}, with PyTorch {}, implementation "
      "`{}`.\n\n",
      r.reruns.failed, r.reruns.runs,
      plan.threads == 1 ? "one thread" : fmt::format("{} threads", plan.threads),
      one_line(r.torch_version), one_line(r.call.implementation));
  if (!r.aten_reason.empty()) {
    text += fmt::format(
        "PyTorch's own operator fails so on this case, and with it what hands such calls on to it: "
        "{}\n\n",
        one_line(r.aten_reason));
  }
  text += operand_list(plan);
  text += fmt::format(
      "\nSignature: {}\n\n{} It was found by a differential fuzzer, which compares each result "
      "with an independent computation in plain loops.\n",
      one_line(r.signature),
      plan.intermittent ? "The case was made smaller as long as it was seen to fail."
                        : "No smaller case that fails in the same way was found.");
  return text;
}

}  // namespace indexfuzz
