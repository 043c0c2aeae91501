#include "reproduce/program_plan.h"
#include "reproduce/quoting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "case/strings/printable.h"
#include "judge/judge.h"
#include "memory/placement.h"
#include "memory/region.h"

namespace indexfuzz {
namespace {

static_assert(kCanary == std::byte{0xFE} && kSmallCanary == std::byte{0x42} &&
                  kLargeCanary == std::byte{0xFD},
              "the programs and the texts of issues name them");

// A call that fails at the observed rate almost certainly fails in one of these attempts, even if
// that rate was observed by luck.
constexpr int kAttempts = 1000, kMostAttempts = 100'000, kAttemptsPerFailure = 100;
// Races are rarer in a program, which pauses between two calls, and in a case smaller than the one
// whose failures were counted. kRacingElements are filled in seconds.
constexpr int kRacingAttempts = 10'000;
constexpr std::int64_t kRacingElements = 20'000'000;
// Each attempt maps its operands anew, and a process may have only a limited number of mappings.
constexpr int kMostGuardedAttempts = 5000;

/// The verdict's message: "changed the rounding mode".
std::string_view message(const Reproduction& r) {
  return r.verdict.message.data();
}

/// The words for a result with wrong metadata.
std::string metadata_words(std::string_view message) {
  if (message.starts_with(kOtherStrides)) return "the result has other strides than with data";
  if (message.starts_with(kWrongShape)) return "the result has a wrong shape";
  if (message.starts_with(kWrongDtype)) return "the result has a wrong dtype";
  return message.empty() ? "the result has wrong metadata" : one_line(message);
}

std::string words(const Reproduction& r) {
  if (r.verdict.status != Status::kFinding)
    return r.c.breaks == 0 ? "the result is right" : "illegal arguments are refused";
  // For an illegal case, kRefusal says that the error was not an ordinary one.
  if (r.verdict.kind == Kind::kRefusal && r.c.breaks == 0) return "legal arguments are refused";
  switch (r.verdict.kind) {
    case Kind::kCrash: return "the process dies";
    case Kind::kHang: return "the call gives no answer";
    case Kind::kOom: return "memory runs out";
    case Kind::kMemory: return "memory is touched that is not its own";
    case Kind::kInput:
      if (r.verdict.signal != 0) return "an input is written, if only for a while";
      return r.verdict.operand >= 0 || message(r).empty() ? "an input is changed"
                                                          : "the call " + one_line(message(r));
    case Kind::kAccept:
      return took_outside_contract(r.verdict, r.c) ? "arguments outside the contract are accepted"
                                                   : "illegal arguments are accepted";
    case Kind::kRefusal: return "no ordinary error is raised";
    case Kind::kAssert: return "an internal assertion fails";
    case Kind::kMetadata: return metadata_words(message(r));
    case Kind::kValue: return "wrong elements";
    case Kind::kNondeterminism: return "the result changes from call to call";
    case Kind::kLeak:
      return message(r).empty() ? "memory is leaked" : "the call " + one_line(message(r));
    case Kind::kDevice: return "the device faults";
    case Kind::kGradient: return "a wrong gradient";
  }
  return "";
}

/// Whether no other operand shares memory with operand k.
bool lies_alone(const Case& c, std::size_t k) {
  return c.operands[k].shares_memory_with < 0 && !hosts_another(c, k);
}

/// How often the programs of a finding make the call.
int attempts(const Reruns& reruns, bool guarded) {
  if (!reruns.is_intermittent()) return 1;
  return std::clamp(kAttemptsPerFailure * reruns.runs / std::max(1, reruns.failed), kAttempts,
                    guarded ? kMostGuardedAttempts : kMostAttempts);
}

}  // namespace

ProgramPlan program_plan(const Reproduction& reproduction) {
  ProgramPlan plan;
  plan.expected = expectation(reproduction.c);
  plan.expected.must_refuse |= took_outside_contract(reproduction.verdict, reproduction.c);
  plan.expected.c = with_placed_layouts(std::move(plan.expected.c));
  const Case& c = plan.expected.c;
  const Verdict& verdict = reproduction.verdict;
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    std::string name = operand_name(c, static_cast<int>(k));
    std::erase_if(name, [](char letter) { return letter == '[' || letter == ']'; });
    plan.variables.push_back(name);
  }
  plan.written = written_operand(c);
  plan.resized = !plan.expected.must_refuse && c.variant == Variant::kOut &&
                 c.operands.back().shape != plan.expected.result.shape;
  const Kind kind = verdict.kind;
  plan.put_back =
      plan.written >= 0 && !plan.resized &&
      (!plan.expected.must_refuse ||
       (kind == Kind::kMemory && lies_alone(c, static_cast<std::size_t>(plan.written))));
  plan.on_gpu = reproduction.call.device != "cpu";
  plan.read_only = kind == Kind::kInput && verdict.signal != 0;
  // On a GPU, an access to a guard page is a device error, and PyTorch programs cannot map any.
  plan.guarded = (kind == Kind::kMemory || plan.read_only) && !plan.on_gpu;
  plan.look_closer = plan.on_gpu && (kind == Kind::kMemory || kind == Kind::kDevice);
  plan.watch.heap = plan.guarded && verdict.operand < 0;
  plan.watch.state = kind == Kind::kInput && verdict.operand < 0;
  if (plan.watch.state || reproduction.call.custom)
    plan.grad_mode =
        std::string_view(verdict.message.data()).find(kGradModeToOff) != std::string_view::npos;
  plan.watch.form = verdict.operand >= 0 &&
                    (kind == Kind::kInput ||
                     (kind == Kind::kMetadata && !plan.resized && !plan.expected.must_refuse));
  plan.watch.metadata = kind == Kind::kMetadata;
  plan.watch.earlier = kind == Kind::kMetadata && plan.written < 0 && !reproduction.before.empty();
  plan.one_place = !reproduction.before.empty();
  plan.watch.leak = kind == Kind::kLeak;
  plan.limit_memory = kind == Kind::kOom;
  plan.fill_new_memory =
      (reproduction.call.custom &&
       (kind == Kind::kValue || kind == Kind::kMetadata || kind == Kind::kRefusal)) ||
      (kind == Kind::kValue && is_made_of(verdict, kSmallCanary));
  plan.must_answer = kind == Kind::kHang;
  plan.in_child = plan.guarded || plan.watch.state || plan.must_answer || kind == Kind::kCrash ||
                  kind == Kind::kOom;
  plan.any_refusal = !reproduction.call.custom || kind == Kind::kRefusal || kind == Kind::kOom;
  plan.vary_threads = std::ranges::any_of(reproduction.before, [&](const EarlierCall& one) {
    return one.c.environment.threads != c.environment.threads;
  });
  plan.threads = c.environment.threads;
  plan.watch.change = kind == Kind::kNondeterminism;
  plan.deterministic = plan.watch.change || c.gpu.deterministic;
  plan.attempts = plan.watch.change ? kAttempts : attempts(reproduction.reruns, plan.guarded);
  plan.intermittent = plan.attempts > 1;
  if (!plan.guarded && c.environment.threads > 1) {
    const std::int64_t elements = std::max<std::int64_t>(total_elements(c), 1);
    // A race that was never seen not to happen may do so in the program.
    const std::int64_t most = plan.intermittent ? kRacingAttempts : kAttempts;
    plan.attempts = std::max(
        plan.attempts, static_cast<int>(std::min<std::int64_t>(kRacingElements / elements, most)));
  }
  return plan;
}

ProgramPlan program_plan(const EarlierCall& earlier) {
  Reproduction alone;
  alone.c = earlier.c;
  alone.call = earlier.call;
  return program_plan(alone);
}

bool is_made_of(const Verdict& verdict, std::byte canary) {
  const auto bytes = std::span(verdict.actual).first(verdict.value_bytes);
  return bytes.size() > 1 &&
         std::ranges::all_of(bytes, [&](std::byte byte) { return byte == canary; });
}

bool keeps_form(const Reproduction& reproduction, int operand) {
  const Verdict& verdict = reproduction.verdict;
  return verdict.kind == Kind::kMetadata || operand == verdict.operand ||
         operand != written_operand(reproduction.c);
}

EarlierCalls earlier_calls(const std::vector<EarlierCall>& before) {
  EarlierCalls result;
  for (const EarlierCall& one : before) {
    auto known = std::ranges::find(result.different, one.c, &EarlierCall::c);
    if (known == result.different.end()) known = result.different.insert(known, one);
    const auto call = static_cast<std::size_t>(known - result.different.begin());
    if (!result.rows.empty() && result.rows.back().call == call) {
      ++result.rows.back().times;
    } else {
      result.rows.push_back({call, 1});
    }
  }
  return result;
}

std::string write_rows(const EarlierCalls& earlier, const ProgramPlan& judged,
                       const std::function<std::string(int threads)>& set_threads,
                       const std::function<std::string(const EarlierCalls::Row&)>& call) {
  std::string text;
  int threads = judged.threads;
  const auto use = [&](int wanted) {
    if (judged.vary_threads && wanted != threads) text += set_threads(wanted);
    threads = wanted;
  };
  for (const EarlierCalls::Row& row : earlier.rows) {
    use(earlier.different[row.call].c.environment.threads);
    text += call(row);
  }
  use(judged.threads);
  return text;
}

std::vector<std::size_t> build_order(const Case& c) {
  std::vector<std::size_t> order;
  for (const bool guests : {false, true}) {
    for (std::size_t k = 0; k < c.operands.size(); ++k) {
      if (spec_of(c, static_cast<int>(k)).role == Role::kScalar) continue;
      if (c.operands[k].present && (c.operands[k].shares_memory_with >= 0) == guests)
        order.push_back(k);
    }
  }
  return order;
}

bool hosts_another(const Case& c, std::size_t k) {
  return std::ranges::any_of(c.operands, [&](const Operand& guest) {
    return guest.shares_memory_with == static_cast<int>(k);
  });
}

std::vector<std::size_t> watched_operands(const ProgramPlan& plan) {
  const Case& c = plan.expected.c;
  std::vector<std::size_t> watched;
  for (const std::size_t k : build_order(c)) {
    const bool is_written = static_cast<int>(k) == plan.written;
    if (is_written && !plan.put_back) continue;
    if (lies_alone(c, k)) watched.push_back(k);
  }
  return watched;
}

std::string written_variable(const ProgramPlan& plan) {
  return plan.written >= 0 ? plan.variables[static_cast<std::size_t>(plan.written)] : "";
}

std::string headline(const Reproduction& reproduction) {
  const Overload& overload = overload_of(reproduction.c);
  const Form* form = form_of(reproduction.c);
  std::string name(form != nullptr ? form->aten_name : operator_of(reproduction.c).name);
  if (!overload.name.empty()) name += fmt::format(" ({})", overload.name);
  if (reproduction.c.variant == Variant::kOut) name += " with out=";
  return fmt::format("{}, {}: {}", name, reproduction.call.implementation, words(reproduction));
}

std::string introduction(const Reproduction& r, std::string_view mark) {
  std::string text = fmt::format("{} {}\n{} {}\n", mark, headline(r), mark, one_line(r.signature));
  if (const std::string message = one_line(r.verdict.message.data()); !message.empty())
    text += fmt::format("{} {}\n", mark, message);
  return text + fmt::format(
                    "{0} Seen with PyTorch {1}, in {2} runs. Exits with 0 where the result is "
                    "right, 1 where it is wrong, 125 where that\n{0} cannot be told.\n",
                    mark, one_line(r.torch_version), in_words(r.reruns));
}

bool is_python_file(std::string_view library) {
  return library.ends_with(".py");
}

bool loads_python_file(const CallSite& call) {
  return call.custom && std::ranges::any_of(call.libraries, is_python_file);
}

}  // namespace indexfuzz
