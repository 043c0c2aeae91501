#include "campaign/finder.h"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/failure.h"
#include "campaign/predecessors.h"
#include "campaign/steer.h"
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
/// Of one key: failures that did not show again.
constexpr std::uint64_t kMaxUnconfirmed = 50;

ExamineOptions examine_options(const CampaignOptions& options, const Suspect& suspect) {
  ExamineOptions result;
  result.implementation = suspect.implementation;
  result.kind = suspect.verdict.kind;
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

Confirmation Finder::confirm_behind_others(const Suspect& suspect, const Confirmation& alone,
                                           FreshProcess* fresh, ExamineOptions& options) {
  if (alone.right_before > 0) {
    options.before.assign(static_cast<std::size_t>(alone.right_before), suspect.c);
  } else if (alone.failed == 0 && suspect.before) {
    options.before = suspect.before();
    std::erase_if(options.before, [&](const Case& c) {
      return form_for(zygote_.hello().implementations[options.implementation], c) == nullptr;
    });
  }
  if (options.before.empty()) return alone;
  const std::uint64_t key =
      alone.key != 0 ? alone.key
                     : shrink_key(suspect.c, suspect.verdict, name_of(options.implementation));
  const Confirmation behind = confirm(runner_, fresh, suspect.c, key, options);
  if (behind.failed > 0 && (alone.failed == 0 || behind.failed == behind.runs)) return behind;
  options.before.clear();
  return alone;
}

Confirmation Finder::confirm_suspect(Suspect& suspect, ExamineOptions& options) {
  Confirmation confirmation;
  std::optional<FreshProcess> fresh;
  for (const std::uint32_t i : possible_implementations(zygote_.hello(), suspect)) {
    suspect.implementation = options.implementation = i;
    const std::uint64_t key = shrink_key(suspect.c, suspect.verdict, name_of(i));
    // What was looked at before and did not show again needs many runs, not another process.
    if (!fresh && !unconfirmed_keys_.contains(key)) fresh.emplace(options_.worker, options_.strict);
    FreshProcess* const beside = fresh ? &*fresh : nullptr;
    confirmation = confirm(runner_, beside, suspect.c, key, options);
    confirmation = confirm_behind_others(suspect, confirmation, beside, options);
    if (confirmation.failed > 0) break;
  }
  return confirmation;
}

Finding Finder::describe_failure(const Suspect& suspect, const Confirmation& confirmation,
                                 ExamineOptions examined, double seconds) {
  Finding finding;
  finding.implementation = suspect.implementation;
  finding.original = suspect.c;
  finding.original_before = examined.before;
  for (Case& c : finding.original_before) c.environment = finding.original.environment;
  std::vector<Case> minimal = shrink_sequence(runner_, suspect.c, confirmation, examined);
  finding.minimal = minimal.back();
  minimal.pop_back();
  examined.before = finding.before = std::move(minimal);
  finding.verdict = verdict_on(runner_, finding.minimal, confirmation, examined);
  finding.essential = essential_traits(runner_, finding.minimal, confirmation, examined);
  finding.signature = signature(finding.minimal, finding.verdict, name_of(suspect.implementation),
                                finding.essential, finding.before.size());
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

void Finder::note_unconfirmed(const Suspect& suspect, std::uint64_t key, int runs, Store& store) {
  ++unconfirmed_;
  store.log({{"event", "unconfirmed"},
             {"implementation", name_of(suspect.implementation)},
             {"kind", name(suspect.verdict.kind)},
             {"message", suspect.verdict.message.data()},
             {"runs", runs},
             {"engine", name(suspect.engine)},
             {"seed", options_.seed},
             {"worker", suspect.worker},
             {"case", suspect.case_number},
             {"text", to_text(suspect.c)}});
  // A failure of a rare moment has the next case for another chance.
  if (++unconfirmed_keys_[key] == kMaxUnconfirmed) add_known(key, {});
}

Finding* Finder::examine(const Suspect& noticed, double seconds, Store& store) {
  if (is_known(noticed)) {
    ++duplicates_;
    return nullptr;
  }
  Suspect suspect = noticed;
  ExamineOptions options = examine_options(options_, suspect);
  const Confirmation confirmation = confirm_suspect(suspect, options);
  const std::uint64_t key = shrink_key(suspect.c, suspect.verdict, name_of(suspect.implementation));
  if (confirmation.failed == 0) {
    note_unconfirmed(suspect, key, confirmation.runs, store);
    return nullptr;
  }
  // What did not show again before has shown now.
  if (const auto before = unconfirmed_keys_.extract(key)) unconfirmed_ -= before.mapped();
  Finding finding = describe_failure(suspect, confirmation, std::move(options), seconds);
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
  // The traits of a case tell little where chance or earlier calls decide.
  if (finding.failed == finding.runs && finding.before.empty())
    steer_away(zygote_.memory(), finding);
  return &findings_.emplace_back(std::move(finding));
}

}  // namespace indexfuzz
