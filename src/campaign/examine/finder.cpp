#include "campaign/examine/finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "campaign/examine/shrink_sequence.h"
#include "campaign/examine/steer.h"
#include "campaign/examine/suspect_log.h"
#include "campaign/failure.h"
#include "judge/judge.h"
#include "judge/signature.h"

namespace indexfuzz {
namespace {

/// Whether two verdicts of a kind report exactly the same bytes.
bool shows_the_same(const Verdict& a, const Verdict& b) {
  return a.element == b.element && a.wrong_elements == b.wrong_elements &&
         a.value_bytes == b.value_bytes && a.actual == b.actual &&
         own_words(a.message.data()) == own_words(b.message.data());
}

std::uint64_t key_of(const Hello& hello, const Finding& finding) {
  return shrink_key(finding.minimal, finding.verdict, name_of(hello, finding.implementation));
}

/// Whether the kernel refused a legal case in a way that only --strict reports.
bool narrows_itself(const Verdict& verdict) {
  const std::string_view message = verdict.message.data();
  return verdict.kind == Kind::kRefusal && own_words(message) == message &&
         may_refuse({.is_custom = true}, message);
}

}  // namespace

Finder::Finder(ZygoteClient& zygote, Runner& runner, Runner* spares, const CampaignOptions& options)
    : zygote_(zygote),
      runner_(runner),
      spares_(spares),
      options_(options),
      met_(zygote.memory().silenced),
      confirmer_(zygote, runner, spares, options, met_),
      ledger_(ledger_failures(options.ledger, zygote.hello())) {
  if (!options.steering) return;
  for (const LedgerFailure& f : ledger_) {
    if (is_to_be_steered(f.verdict, f.essential))
      steer_away(zygote_, f.minimal, f.essential, f.verdict, f.implementation);
  }
}

bool Finder::enough() const {
  if (!options_.max_findings) return false;
  // If a kernel forwards to a failing ATen operator, its own failures may still be to come.
  const auto unknown = std::ranges::count_if(
      findings_, [](const Finding& f) { return is_new(f) && f.aten_reason.empty(); });
  return static_cast<std::uint64_t>(unknown) >= *options_.max_findings;
}

bool Finder::note(Suspect& suspect) {
  return met_.note(suspect, key_of(zygote_.hello(), suspect));
}

void Finder::abandon(const Suspect& suspect) {
  ++cut_off_;
  met_.abandon(suspect, key_of(zygote_.hello(), suspect));
}

/// A finding with what the suspect tells by itself.
Finding Finder::finding_of(const Suspect& suspect) const {
  Finding finding;
  finding.implementation = suspect.implementation;
  finding.original = suspect.c;
  finding.first_seconds = suspect.seconds;
  finding.engine = suspect.engine;
  finding.seed = options_.seed;
  finding.worker = suspect.worker;
  finding.case_number = suspect.case_number;
  return finding;
}

Finding Finder::describe_failure(const Suspect& suspect, const Confirmed& confirmed,
                                 ExamineOptions examined) {
  Runner& runner = *confirmed.runner;
  const Confirmation& confirmation = confirmed.how;
  Finding finding = finding_of(suspect);
  finding.original_before = examined.before;
  for (Case& c : finding.original_before)
    c.environment.capability = finding.original.environment.capability;
  std::vector<Case> minimal = shrink_sequence(runner, suspect.c, confirmation, examined);
  finding.minimal = minimal.back();
  minimal.pop_back();
  examined.before = finding.before = std::move(minimal);
  if (finding.before.empty() && needs_base(runner, finding.minimal, confirmation, examined)) {
    Case base = finding.minimal;
    base.breaks = 0;
    examined.before = finding.before = {base};
  }
  finding.verdict = verdict_on(runner, finding.minimal, confirmation, examined);
  finding.essential = essential_traits(runner, finding.minimal, confirmation, examined);
  finding.signature =
      signature(finding.minimal, finding.verdict, name_of(zygote_.hello(), suspect.implementation),
                finding.essential, finding.before.size());
  finding.reruns = {confirmation.failed, confirmation.runs};
  if (const LedgerEntry* entry =
          find_entry(options_.ledger, finding.signature.text, zygote_.hello().torch,
                     name_of(zygote_.hello(), suspect.implementation))) {
    finding.known = true;
    finding.reason = entry->reason;
  }
  compare_with_aten(finding, run_options(examined, confirmation));
  return finding;
}

/// Notes whether ATen fails in the same way on a custom kernel's minimal case. If the ledger lists
/// that failure, it is known: a kernel that forwards such calls to ATen is not to blame for it. So
/// is an illegal call that ATen accepts, listed or not: nobody need be stricter than ATen. Nor need
/// anybody support more dtypes, in whatever words the kernel refuses them.
void Finder::compare_with_aten(Finding& finding, RunOptions options) {
  const Hello& hello = zygote_.hello();
  const ImplementationInfo& judged = hello.implementations[finding.implementation];
  if (!judged.custom) return;
  const LedgerEntry* const like = entry_of_aten(finding, options_.ledger, hello);
  const LedgerEntry* const listed =
      like != nullptr ? like : wider_entry_of_aten(finding, options_.ledger, hello);
  // A process of its own takes seconds on a GPU.
  const bool narrows = narrows_itself(finding.verdict);
  if (listed == nullptr && judged.on_gpu() && !narrows) return;
  options.before = finding.before;
  options.by_aten = true;
  options.own_process = true;
  const auto verdicts = runner_.run_in_one_process({&finding.minimal, 1}, options);
  if (verdicts.empty()) return;
  if (narrows && verdicts.front().status == Status::kUnsupported) {
    finding.known = true;
    finding.reason = "ATen does not support this dtype here, either";
    return;
  }
  if (!fails_alike(finding, verdicts.front(), aten_name(judged))) return;
  // The essential traits may be due to the kernel, if it forwards only some cases to ATen: both
  // then return the same bytes.
  if (like == nullptr && !shows_the_same(verdicts.front(), finding.verdict)) return;
  if (listed == nullptr) {
    finding.aten_reason = "the ledger does not list it";
    if (finding.verdict.kind != Kind::kAccept) return;
    finding.known = true;
    finding.reason = "ATen accepts this illegal call, too; the ledger does not list it";
    return;
  }
  finding.aten_reason = listed->reason;
  if (finding.known) return;
  finding.known = true;
  finding.reason = listed->reason;
}

bool Finder::is_duplicate(const Finding& finding) const {
  return std::ranges::any_of(
      findings_, [&](const Finding& other) { return other.signature.id == finding.signature.id; });
}

/// The finding with this key of which a failing case has all that it needs to fail; null if there
/// is none.
const Finding* Finder::find_like(std::uint64_t key, const Case& c) const {
  const TraitSet all = traits(c);
  const std::int64_t elements = total_elements(c);
  const auto found = std::ranges::find_if(findings_, [&](const Finding& other) {
    return other.before.empty() && !withdrawn(other) && key_of(zygote_.hello(), other) == key &&
           elements >= least_elements(other) && includes(all, other.essential);
  });
  return found == findings_.end() ? nullptr : &*found;
}

/// Whether the finding needs no further confirmation. A fresh process takes time: only a new
/// finding is worth one.
bool Finder::needs_no_more_runs(Finding& finding, const ExamineOptions& options) {
  return finding.known || is_duplicate(finding) || confirmer_.fails_afresh(finding, options);
}

/// Confirms a suspect and describes its failure; none if it failed in none of `runs` runs.
std::optional<Finding> Finder::confirm_and_describe(Suspect& suspect, int& runs) {
  ExamineOptions options = confirmer_.options_for(suspect);
  if (suspect.verdict.took_before) {
    const auto confirmed = confirmer_.confirm_stopped_taking(suspect, options);
    if (!confirmed) return std::nullopt;
    Finding finding = describe_failure(suspect, *confirmed, options);
    if (confirmer_.fails_alone(finding.minimal, options)) return std::nullopt;
    return finding;
  }
  const bool on_host =
      std::ranges::none_of(confirmer_.possible_implementations(suspect),
                           [this](std::uint32_t i) { return confirmer_.on_spares(i); });
  ExamineOptions quick = impatient(options, !on_host);
  if (const auto confirmed = confirmer_.confirm_on_spares(suspect, quick)) {
    Finding finding = describe_failure(suspect, *confirmed, quick);
    options.implementation = quick.implementation;
    if (needs_no_more_runs(finding, options)) return finding;
    // Examining must end: the finding is kept, unless it is a hang after only a short wait.
    if (spares_->stops_at_pulse() && options.kind != Kind::kHang) return finding;
  }
  if (options.kind == Kind::kHang && on_host) {
    const Confirmed confirmed = confirmer_.confirm_in_children(suspect, quick);
    if (confirmed.how.failed > 0 && confirmed.how.failed == confirmed.how.runs) {
      Finding finding = describe_failure(suspect, confirmed, quick);
      if (needs_no_more_runs(finding, options)) return finding;
    }
  }
  const Confirmed confirmed = confirmer_.confirm_in_children(suspect, options);
  runs = confirmed.how.runs;
  if (confirmed.how.failed == 0) return std::nullopt;
  return describe_failure(suspect, confirmed, std::move(options));
}

/// The examination had to end before it proved anything.
void Finder::note_cut_off(const Suspect& suspect, int runs, Store& store) {
  ++cut_off_;
  log_suspect(store, "cut off", suspect, zygote_.hello(), options_.seed, runs);
}

/// For a suspect that failed in none of `runs` runs.
void Finder::note_unconfirmed(const Suspect& suspect, int runs, Store& store) {
  met_.drop(suspect.silenced_place);
  const std::uint64_t key = key_of(zygote_.hello(), suspect);
  if (runner_.stops_at_pulse()) {
    note_cut_off(suspect, runs, store);
  } else if (suspect.verdict.took_before) {
    // A kernel that narrows itself in a way that no trait describes is examined only once.
    met_.add(key, {});
  } else {
    met_.note_unconfirmed(key, suspect.verdict.kind);
    log_suspect(store, "unconfirmed", suspect, zygote_.hello(), options_.seed, runs);
  }
}

/// Runs the case of a listed failure and, since a process takes far longer than a call, those of
/// others of its kind that have not been run yet.
void Finder::run_listed(LedgerFailure& first, bool with_others) {
  std::vector<LedgerFailure*> failures{&first};
  std::vector<Case> cases{first.minimal};
  for (LedgerFailure& other : ledger_) {
    if (!with_others || cases.size() == kMaxRunCases) break;
    const bool alike = other.implementation == first.implementation &&
                       other.verdict.kind == first.verdict.kind && !ends_process(other.verdict) &&
                       other.minimal.environment == first.minimal.environment;
    if (!alike || other.now || &other == &first) continue;
    failures.push_back(&other);
    cases.push_back(other.minimal);
  }
  ExamineOptions options;
  options.implementation = first.implementation;
  options.kind = first.verdict.kind;
  options.strict = first.verdict.kind == Kind::kRefusal;
  options.limits = options_.limits;
  options.timeout = options_.timeout;
  Runner& runner = confirmer_.on_spares(first.implementation) ? *spares_ : runner_;
  const auto verdicts = runner.run_in_one_process(cases, run_options(options, {}));
  for (std::size_t i = 0; i < verdicts.size(); ++i) failures[i]->now = verdicts[i];
}

/// Whether a listed failure's case fails here as it is listed.
bool Finder::fails_as_listed(LedgerFailure& listed) {
  const ImplementationInfo& implementation = zygote_.hello().implementations[listed.implementation];
  const auto fails = [&] {
    return listed.now && key_of(listed.minimal, *listed.now, implementation) == listed.key;
  };
  if (!listed.now) run_listed(listed, !ends_process(listed.verdict));
  // Another case may have come in its way, or it fails now and then.
  if (!fails()) run_listed(listed, false);
  return fails();
}

/// Recognizes a suspect as a failure that the ledger lists: it has that failure's key, `c` (its
/// case or a smaller one) has all its traits, and the listed case fails in one run. Else null.
Finding* Finder::recognize(const Suspect& suspect, const Case& c, std::uint64_t key) {
  if (suspect.implementation >= kMaxImplementations) return nullptr;
  const TraitSet all = traits(c);
  for (LedgerFailure& listed : ledger_) {
    if (listed.met || listed.key != key || !includes(all, listed.essential) ||
        !fails_as_listed(listed))
      continue;
    listed.met = true;
    met_.explain(key, suspect.verdict.kind);
    met_.add(key, listed.essential);
    Finding& finding = findings_.emplace_back(finding_of(suspect));
    finding.minimal = listed.minimal;
    finding.verdict = *listed.now;
    finding.essential = listed.essential;
    finding.signature = listed.signature;
    finding.reruns = {1, 1};
    finding.known = true;
    finding.reason = listed.entry->reason;
    return &finding;
  }
  return nullptr;
}

/// Whether a failure whose shrinking was cut off may be a known one: its traits are not those of a
/// minimal case, but a known failure has its key.
bool Finder::may_be_known(const Finding& finding, std::uint64_t key) const {
  const auto has_key = [&](const Finding& other) { return key_of(zygote_.hello(), other) == key; };
  return !finding.known && runner_.stops_at_pulse() &&
         (std::ranges::find(ledger_, key, &LedgerFailure::key) != ledger_.end() ||
          std::ranges::any_of(findings_, has_key));
}

void Finder::withdraw(Finding& finding) {
  met_.drop(std::exchange(finding.silenced_place, -1));
  met_.add(key_of(zygote_.hello(), finding), traits(finding.minimal));
}

Finding* Finder::examine(const Suspect& noticed, Store& store) {
  const std::uint64_t key = key_of(zygote_.hello(), noticed);
  if (!met_.take_up(noticed, key)) return nullptr;
  if (Finding* const known = recognize(noticed, noticed.c, key)) return known;
  const std::optional<Suspect> legal = confirmer_.without_rule(noticed);
  if (!legal) return examine_itself(noticed, store);
  const std::uint64_t legal_key = key_of(zygote_.hello(), *legal);
  Finding* found = nullptr;
  if (find_like(legal_key, legal->c) != nullptr) {
    met_.count_duplicate();
  } else {
    found = recognize(*legal, legal->c, legal_key);
    if (found == nullptr) found = examine_itself(*legal, store);
  }
  const Finding* const same = find_like(legal_key, legal->c);
  if (same == nullptr) {
    // The legal case did not fail again, or only behind others.
    return found != nullptr || runner_.stops_at_pulse() ? found : examine_itself(noticed, store);
  }
  // Illegal cases with its traits fail for the same reason.
  met_.add(key, same->essential, least_elements(*same));
  if (options_.steering && is_to_be_steered(*same))
    steer_away(zygote_, noticed.c, same->essential, same->verdict, same->implementation,
               least_elements(*same));
  return found;
}

Finding* Finder::examine_itself(const Suspect& noticed, Store& store) {
  Suspect suspect = noticed;
  int runs = 0;
  std::optional<Finding> described = confirm_and_describe(suspect, runs);
  if (!described) {
    note_unconfirmed(suspect, runs, store);
    return nullptr;
  }
  const std::uint64_t key = key_of(zygote_.hello(), suspect);
  met_.explain(key, suspect.verdict.kind);
  Finding& finding = *described;
  if (may_be_known(finding, key)) {
    note_cut_off(suspect, runs, store);
    return nullptr;
  }
  // So rare a failure that its traits cannot be told must not hide all others of its key.
  const bool is_told = !finding.essential.empty() || !finding.reruns.is_intermittent();
  finding.silenced_place =
      met_.add(key_of(zygote_.hello(), finding),
               is_told ? finding.essential : traits(finding.minimal), least_elements(finding));
  // Cases like the suspect's are not examined again either, whatever they shrink to.
  if (suspect.silenced_place < 0) met_.add(key, traits(suspect.c));
  if (is_duplicate(finding)) {
    if (met_.count_repeat(key, least_elements(finding)) && options_.steering &&
        costs_seconds(finding.verdict, confirmer_.on_spares(finding.implementation)))
      steer_away(zygote_, finding.minimal, {}, finding.verdict, finding.implementation);
    return nullptr;
  }
  for (LedgerFailure& listed : ledger_) listed.met |= listed.signature.id == finding.signature.id;
  if (options_.steering && is_to_be_steered(finding))
    steer_away(zygote_, finding.minimal, finding.essential, finding.verdict, finding.implementation,
               least_elements(finding));
  if (!finding.known && finding.before.empty()) {
    // The minimal case's dtype may differ from the suspect's.
    if (find_like(key_of(zygote_.hello(), finding), finding.minimal) != nullptr) {
      met_.count_duplicate();
      return nullptr;
    }
    if (Finding* const known =
            recognize(suspect, finding.minimal, key_of(zygote_.hello(), finding)))
      return known;
  }
  return &findings_.emplace_back(std::move(finding));
}

}  // namespace indexfuzz
