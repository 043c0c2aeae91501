#include "fuzz_target.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "campaign/examine/ledger_failures.h"
#include "campaign/examine/silenced_failures.h"
#include "campaign/failure.h"
#include "campaign/store/ledger.h"
#include "draw/input.h"
#include "indexfuzz_config.h"
#include "judge/signature.h"
#include "ops/text/case_text.h"
#include "run/call/libraries.h"
#include "run/coverage/call_outcome.h"
#include "run/coverage/features.h"
#include "run/coverage/input_mutator.h"
#include "run/host/batch_end.h"
#include "run/host/host_call.h"
#include "run/session/session.h"
#include "run/watch/guarded_allocator.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

[[noreturn]] void give_up(const std::string& sentence) {
  std::fprintf(stderr, "indexfuzz: %s\n", sentence.c_str());
  std::exit(1);
}

/// "gather" of "build/gather_fuzzer".
const OperatorInfo& operator_named_by(const std::filesystem::path& program) {
  const std::string name = program.filename().string();
  const OperatorInfo* const op = find_operator(std::string_view(name).substr(0, name.rfind('_')));
  if (op == nullptr)
    give_up("the program is called " + name +
            ", but a fuzz target is called after an operator: gather_fuzzer.");
  return *op;
}

std::vector<Implementation> implementations_of(const OperatorInfo& op) {
  if (const std::string error = torch_mismatch(); !error.empty()) give_up(error);
  const OperatorInfo* wanted = &op;
  Resolved resolved = resolve({}, {&wanted, 1});
  if (!resolved.error.empty()) give_up(resolved.error);
  return std::move(resolved.implementations);
}

/// The implementations of a target run on no GPU.
Limits on_the_cpu() {
  Limits limits;
  limits.gpu = false;
  return usual(limits);
}

/// The state of a worker process that has no supervisor.
struct FuzzTarget {
  explicit FuzzTarget(const OperatorInfo& op)
      : op(op),
        implementations(implementations_of(op)),
        targets(targets_of(op)),
        session(implementations, *memory, *slot),
        mutator(targets, on_the_cpu(), Environment{}, nullptr, nullptr) {}

  const OperatorInfo& op;
  std::vector<Implementation> implementations;
  std::vector<Target> targets;
  std::unique_ptr<SharedMemory> memory = std::make_unique<SharedMemory>();
  std::unique_ptr<Slot> slot = std::make_unique<Slot>();
  Session session;
  InputMutator mutator;
  Case current;
  RunnableCase runnable;
  CallOutcomes outcomes;
};

std::unique_ptr<FuzzTarget> target;

void abort_unless_known(const Case& named, std::size_t implementation, const Verdict& verdict) {
  const std::string& failing = target->implementations[implementation].name;
  if (is_silenced(target->memory->silenced, shrink_key(named, verdict, failing), named)) return;
  std::fprintf(stderr,
               "indexfuzz: %s fails: %s %s\nThe case; in a file of its own `indexfuzz show` "
               "says more, and `indexfuzz shrink` makes it smaller:\n\n%s\n",
               failing.c_str(), std::string(name(verdict.kind)).c_str(), verdict.message.data(),
               to_text(named).c_str());
  std::abort();
}

/// Judges the current case through every implementation that has its form and is asked for it.
void judge_current() {
  Session& session = target->session;
  RunnableCase& runnable = target->runnable;
  target->outcomes.clear();
  target->current.environment = {};
  make_runnable(target->current, runnable);
  const auto plans = plans_for(session, runnable.named);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i] == nullptr || !is_asked(target->implementations[i], runnable.named)) continue;
    session.arena->prepare(runnable.applied);
    Verdict verdict = call(session, i, *plans[i]);
    if (!memory_intact(session)) {
      renew_arena(session);
      if (verdict.status != Status::kFinding) verdict = stray_write();
    }
    target->outcomes.push_back({static_cast<std::uint8_t>(i), session.observation.outcome,
                                verdict.status, verdict.kind, verdict.error_class});
    if (verdict.status != Status::kFinding) continue;
    session.arena->mark_dirty();
    abort_unless_known(runnable.named, i, verdict);
  }
}

/// Silences the failures that the ledger lists for this torch.
void learn_ledger() {
  Hello hello;
  hello.torch = torch_version();
  for (const Implementation& implementation : target->implementations)
    hello.implementations.push_back({.name = implementation.name});
  try {
    const std::vector<LedgerEntry> ledger =
        read_ledger(std::string(config::kCorpusDir) + "/ledger.toml");
    SilencedFailures silenced(target->memory->silenced);
    for (const LedgerFailure& failure : ledger_failures(ledger, hello)) {
      if (failure.minimal.op == target->op.number) silenced.add(failure.key, failure.essential);
    }
  } catch (const SetupError& error) {
    give_up(error.what());
  }
}

}  // namespace

int begin_fuzz_target(const char* program) {
  install_guarded_allocator();
  set_global_state();
  target = std::make_unique<FuzzTarget>(operator_named_by(program));
  mutate_inputs_with(target->mutator);
  learn_ledger();
  return 0;
}

int judge_fuzz_input(const std::uint8_t* data, std::size_t size) {
  if (!read_input({reinterpret_cast<const std::byte*>(data), size}, {}, target->current) ||
      target->current.op != target->op.number) {
    count_no_case();
    return -1;
  }
  judge_current();
  // Older versions of libFuzzer ignore -1 and keep every input that counts features.
  if (!is_worth_keeping(target->outcomes)) return -1;
  count_features(target->current);
  count_outcomes(target->current, {target->outcomes.data(), target->outcomes.size()});
  return 0;
}

}  // namespace indexfuzz
