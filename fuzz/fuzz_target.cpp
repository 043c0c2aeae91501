#include "fuzz_target.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "campaign/failure.h"
#include "campaign/store/case_file.h"
#include "campaign/store/ledger.h"
#include "draw/input.h"
#include "indexfuzz_config.h"
#include "judge/signature.h"
#include "ops/case_text.h"
#include "run/call/libraries.h"
#include "run/coverage/features.h"
#include "run/coverage/input_mutator.h"
#include "run/judge_one.h"
#include "run/session.h"
#include "run/watch/guarded_allocator.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

[[noreturn]] void give_up(const std::string& sentence) {
  std::fprintf(stderr, "indexfuzz: %s\n", sentence.c_str());
  std::exit(1);
}

std::vector<Implementation> implementations_of(const OperatorInfo& op) {
  if (const std::string error = torch_mismatch(); !error.empty()) give_up(error);
  const OperatorInfo* wanted = &op;
  Resolved resolved = resolve({}, {&wanted, 1});
  if (!resolved.error.empty()) give_up(resolved.error);
  return std::move(resolved.implementations);
}

std::vector<Target> targets_of(const OperatorInfo& op) {
  std::vector<Target> targets;
  for (std::size_t o = 0; o < op.overloads.size(); ++o) {
    for (const Form& form : op.overloads[o].forms)
      targets.push_back({op.number, static_cast<std::uint8_t>(o), form.variant});
  }
  return targets;
}

/// The implementations of a target run on no GPU.
Limits on_the_cpu() {
  Limits limits;
  limits.gpu = false;
  return usual(limits);
}

/// What a worker has, without a supervisor.
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

std::uint64_t key_of(const Case& named, std::size_t implementation, const Verdict& verdict) {
  return shrink_key(named, verdict, target->implementations[implementation].name);
}

void add_known(std::uint64_t key, const TraitSet& essential) {
  SharedMemory& memory = *target->memory;
  const std::uint32_t count = memory.known_count.load();
  KnownFailure& known = memory.known[count];
  if (count == kMaxKnownFailures || essential.size() > std::size(known.traits)) return;
  known.key = key;
  known.trait_count = static_cast<std::uint8_t>(essential.size());
  std::ranges::copy(essential, known.traits);
  memory.known_count.store(count + 1);
}

void abort_unless_known(const Case& named, std::size_t implementation, const Verdict& verdict) {
  if (is_known_failure(*target->memory, key_of(named, implementation, verdict), named)) return;
  std::fprintf(stderr,
               "indexfuzz: %s fails: %s %s\nThe case; in a file of its own `indexfuzz show` "
               "says more, and `indexfuzz shrink` makes it smaller:\n\n%s\n",
               target->implementations[implementation].name.c_str(),
               std::string(name(verdict.kind)).c_str(), verdict.message.data(),
               to_text(named).c_str());
  std::abort();
}

/// Judges the current case through every implementation that is asked for it and has its form;
/// `on_finding` takes the case, the implementation and the verdict.
template <typename OnFinding>
void judge_current(OnFinding&& on_finding) {
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
    session.arena->suspect();
    on_finding(runnable.named, i, verdict);
  }
}

/// The keys of all failures of a case.
std::vector<std::uint64_t> failures_of(const Case& c) {
  std::vector<std::uint64_t> keys;
  target->current = c;
  repair(target->current, {});
  judge_current([&](const Case& named, std::size_t implementation, const Verdict& verdict) {
    keys.push_back(key_of(named, implementation, verdict));
  });
  return keys;
}

/// Every case that fails like this one, whose essential traits it has, is known.
void learn_failures(const Case& minimal) {
  for (const std::uint64_t key : failures_of(minimal)) {
    TraitSet essential;
    for (const Trait trait : traits(minimal)) {
      const auto without = failures_of(reset(minimal, trait));
      if (std::ranges::find(without, key) == without.end()) essential.push_back(trait);
    }
    add_known(key, essential);
  }
}

void learn_ledger() {
  try {
    for (const LedgerEntry& entry : read_ledger(std::string(config::kCorpusDir) + "/ledger.toml")) {
      if (entry.case_file.empty()) continue;
      const Case minimal = read_case_file(entry.case_file).judged();
      if (minimal.op == target->op.number) learn_failures(minimal);
    }
  } catch (const SetupError& error) {
    give_up(error.what());
  }
}

}  // namespace

int begin_fuzz_target(const char* op) {
  install_guarded_allocator();
  set_global_state();
  target = std::make_unique<FuzzTarget>(*find_operator(std::string_view(op)));
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
  judge_current(abort_unless_known);
  // Older libFuzzers keep what has features, whatever is returned.
  if (!is_worth_keeping(target->outcomes)) return -1;
  count_features(target->current);
  count_outcomes(target->current, {target->outcomes.data(), target->outcomes.size()});
  return 0;
}

}  // namespace indexfuzz
