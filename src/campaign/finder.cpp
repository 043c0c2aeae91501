#include "campaign/finder.h"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/failure.h"
#include "judge/signature.h"
#include "ops/case_text.h"

namespace indexfuzz {
namespace {

std::vector<std::uint32_t> possible_implementations(const Hello& hello, const Suspect& suspect) {
  if (suspect.implementation < hello.implementations.size()) return {suspect.implementation};
  // It died between two calls: whoever had the case may have broken the process.
  std::vector<std::uint32_t> possible;
  for (std::uint32_t i = 0; i < hello.implementations.size(); ++i) {
    if (form_for(hello.implementations[i], suspect.c) != nullptr) possible.push_back(i);
  }
  return possible;
}

/// Of one key: failures that turn out to be duplicates only after they were shrunk.
constexpr int kMaxRepeats = 4;

ExamineOptions examine_options(const CampaignOptions& options, std::uint32_t implementation) {
  ExamineOptions result;
  result.implementation = implementation;
  result.limits = options.limits;
  result.timeout = options.timeout;
  return result;
}

}  // namespace

Finder::Finder(ZygoteClient& zygote, Runner& runner, const CampaignOptions& options)
    : zygote_(zygote), runner_(runner), options_(options) {}

std::string Finder::name_of(std::uint32_t implementation) const {
  const auto& all = zygote_.hello().implementations;
  return implementation < all.size() ? all[implementation].name : "";
}

bool Finder::enough() const {
  if (!options_.max_findings) return false;
  const auto unknown = std::ranges::count_if(findings_, [](const Finding& f) { return !f.known; });
  return static_cast<std::uint64_t>(unknown) >= *options_.max_findings;
}

bool Finder::is_known(const Suspect& suspect) const {
  if (suspect.implementation >= kMaxImplementations) return false;
  const std::uint64_t key = shrink_key(suspect.c, suspect.verdict, name_of(suspect.implementation));
  // Nothing more can be told apart once the list is full.
  return zygote_.memory().known_count.load() == kMaxKnownFailures ||
         is_known_failure(zygote_.memory(), key, traits(suspect.c));
}

void Finder::add_known(std::uint64_t key, const TraitSet& some) {
  SharedMemory& memory = zygote_.memory();
  const std::uint32_t count = memory.known_count.load();
  if (count == kMaxKnownFailures) return;
  KnownFailure& known = memory.known[count];
  known.key = key;
  known.trait_count =
      static_cast<std::uint8_t>(std::min<std::size_t>(some.size(), std::size(known.traits)));
  std::copy_n(some.begin(), known.trait_count, known.traits);
  memory.known_count.store(count + 1, std::memory_order_release);
}

Confirmation Finder::confirm_suspect(Suspect& suspect) {
  // Gets ready while the forks run.
  ZygoteClient fresh(options_.worker, 1);
  const auto interrupted = [this] { return runner_.interrupted(); };
  const FreshRun fresh_run = [&](const Case& c, const RunOptions& run) -> std::optional<Verdict> {
    try {
      fresh.hello(interrupted);
      const auto verdicts = Runner(fresh, 0, 1, options_.strict, interrupted).run_copies(c, 1, run);
      return verdicts.empty() ? std::nullopt : std::optional(verdicts.front());
    } catch (const SetupError&) {
      return std::nullopt;  // one run fewer
    } catch (const Interruption&) {
      return std::nullopt;
    }
  };
  Confirmation confirmation;
  for (const std::uint32_t i : possible_implementations(zygote_.hello(), suspect)) {
    const std::uint64_t key = shrink_key(suspect.c, suspect.verdict, name_of(i));
    confirmation = confirm(runner_, fresh_run, suspect.c, key, examine_options(options_, i));
    suspect.implementation = i;
    if (confirmation.failed > 0) break;
  }
  return confirmation;
}

Finding Finder::describe_failure(const Suspect& suspect, const Confirmation& confirmation,
                                 double seconds) {
  const ExamineOptions examined = examine_options(options_, suspect.implementation);
  Finding finding;
  finding.implementation = suspect.implementation;
  finding.original = suspect.c;
  finding.minimal = shrink_failure(runner_, suspect.c, confirmation, examined);
  finding.verdict = verdict_on(runner_, finding.minimal, confirmation, examined);
  finding.essential = essential_traits(runner_, finding.minimal, confirmation, examined);
  finding.signature = signature(finding.minimal, finding.verdict, name_of(suspect.implementation),
                                finding.essential);
  finding.failed = confirmation.failed;
  finding.runs = confirmation.runs;
  finding.first_seconds = seconds;
  finding.engine = suspect.engine;
  finding.seed = options_.seed;
  finding.worker = suspect.worker;
  finding.case_number = suspect.case_number;
  const auto device = device_of(name_of(suspect.implementation));
  if (const LedgerEntry* entry =
          find_entry(options_.ledger, finding.signature.text, zygote_.hello().torch, device)) {
    finding.known = true;
    finding.reason = entry->reason;
  }
  return finding;
}

Finding* Finder::examine(const Suspect& noticed, double seconds, Store& store) {
  if (is_known(noticed)) {
    ++duplicates_;
    return nullptr;
  }
  Suspect suspect = noticed;
  const Confirmation confirmation = confirm_suspect(suspect);
  const std::uint64_t key = shrink_key(suspect.c, suspect.verdict, name_of(suspect.implementation));
  if (confirmation.failed == 0) {
    ++unconfirmed_;
    store.log({{"event", "unconfirmed"},
               {"implementation", name_of(suspect.implementation)},
               {"kind", name(suspect.verdict.kind)},
               {"message", suspect.verdict.message.data()},
               {"runs", confirmation.runs},
               {"engine", name(suspect.engine)},
               {"seed", options_.seed},
               {"worker", suspect.worker},
               {"case", suspect.case_number},
               {"text", to_text(suspect.c)}});
    add_known(key, traits(suspect.c));
    return nullptr;
  }
  Finding finding = describe_failure(suspect, confirmation, seconds);
  add_known(shrink_key(finding.minimal, finding.verdict, name_of(finding.implementation)),
            finding.essential);
  // Cases like this one are not looked at again either, whatever they shrink to.
  add_known(key, traits(suspect.c));
  const bool duplicate = std::ranges::any_of(
      findings_, [&](const Finding& other) { return other.signature.id == finding.signature.id; });
  if (duplicate) {
    ++duplicates_;
    // A failure with many faces that all shrink to one: no more of this key is looked at.
    if (++repeats_[key] == kMaxRepeats) add_known(key, {});
    return nullptr;
  }
  return &findings_.emplace_back(std::move(finding));
}

}  // namespace indexfuzz
