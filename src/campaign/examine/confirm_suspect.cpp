#include "campaign/examine/confirm_suspect.h"

#include "judge/signature.h"
#include "ops/contract/keeps.h"

namespace indexfuzz {
namespace {

/// Whether so few of many runs failed that they do not tell how often the case fails.
bool is_rare(const Confirmation& how) {
  constexpr int kFew = 3, kMany = 100;
  return how.failed > 0 && how.failed <= kFew && how.right_before == 0 &&
         how.runs >= kMany * how.failed;
}

void add_longer_look(Confirmation& how, const Confirmation& longer) {
  if (longer.failed == 0) return;
  how.failed += longer.failed;
  how.runs += longer.runs;
  how.fails_within = longer.fails_within;
  how.most_repeats = longer.most_repeats;
}

}  // namespace

SuspectConfirmer::SuspectConfirmer(ZygoteClient& zygote, Runner& runner, Runner* spares,
                                   const CampaignOptions& options, const MetFailures& met)
    : zygote_(zygote),
      runner_(runner),
      spares_(spares),
      options_(options),
      met_(met),
      fresh_(zygote.command(), options.strict, first_on_gpu(zygote.hello()).has_value()) {}

std::uint64_t key_of(const Hello& hello, const Suspect& suspect) {
  return shrink_key(suspect.c, suspect.verdict, name_of(hello, suspect.implementation));
}

bool SuspectConfirmer::on_spares(std::uint32_t implementation) const {
  return spares_ != nullptr && zygote_.hello().implementations[implementation].on_gpu();
}

ExamineOptions SuspectConfirmer::options_for(const Suspect& suspect) const {
  ExamineOptions result;
  result.implementation = suspect.implementation;
  result.kind = suspect.verdict.kind;
  result.strict = suspect.verdict.took_before;
  result.limits = options_.limits;
  // A kernel that must refuse what its contract leaves out is also called with that.
  if (const Contract* const contract = result.limits.contract;
      contract != nullptr && !keeps_when_applied(*contract, suspect.c))
    result.limits.contract = nullptr;
  result.timeout = options_.timeout;
  return result;
}

std::vector<std::uint32_t> SuspectConfirmer::possible_implementations(
    const Suspect& suspect) const {
  const Hello& hello = zygote_.hello();
  if (suspect.implementation < hello.implementations.size()) return {suspect.implementation};
  // The process died between two calls: any implementation that had the case may have broken it.
  return implementations_for(hello, suspect.c);
}

void SuspectConfirmer::prefer_plain_environment(Suspect& suspect, std::uint64_t key,
                                                const ExamineOptions& options) {
  Case plain = suspect.c;
  plain.environment = {};
  if (plain == suspect.c) return;
  const auto verdicts = spares_->run_in_one_process({&plain, 1}, run_options(options, {}));
  const ImplementationInfo& judged = spares_->implementation(options.implementation);
  if (!verdicts.empty() && key_of(plain, verdicts.front(), judged) == key) suspect.c = plain;
}

Confirmation SuspectConfirmer::confirm_after_its_predecessors(const Suspect& suspect,
                                                              const Confirmation& alone,
                                                              FreshProcess* fresh,
                                                              ExamineOptions& options) {
  if (alone.right_before > 0) {
    options.before.assign(static_cast<std::size_t>(alone.right_before), suspect.c);
  } else if (alone.failed == 0 && suspect.before) {
    options.before = suspect.before();
    std::erase_if(options.before, [&](const Case& c) {
      return caller_before(zygote_.hello(), options.implementation, c) == nullptr;
    });
  }
  if (options.before.empty()) return alone;
  const std::uint64_t key = alone.key != 0
                                ? alone.key
                                : shrink_key(suspect.c, suspect.verdict,
                                             name_of(zygote_.hello(), options.implementation));
  const Confirmation behind = confirm_after_predecessors(runner_, fresh, suspect.c, key, options);
  if (behind.failed > 0 && (alone.failed == 0 || behind.failed == behind.runs)) return behind;
  options.before.clear();
  return alone;
}

std::optional<Confirmed> SuspectConfirmer::confirm_on_spares(Suspect& suspect,
                                                             ExamineOptions& options) {
  for (const std::uint32_t i : possible_implementations(suspect)) {
    if (!on_spares(i)) continue;
    Suspect tried = suspect;
    tried.implementation = options.implementation = i;
    const std::uint64_t key = key_of(zygote_.hello(), tried);
    prefer_plain_environment(tried, key, options);
    Confirmation how = confirm_with_few(*spares_, nullptr, tried.c, key, options);
    if (how.failed == 0 && !tried.c.gpu.side_stream) {
      // In its batch, the GPU was still at work on earlier calls, and further calls followed.
      tried.c.gpu.side_stream = true;
      how = confirm_with_few(*spares_, nullptr, tried.c, key, options);
    }
    if (how.failed == 0 || how.failed < how.runs) continue;
    suspect = std::move(tried);
    return Confirmed{how, spares_};
  }
  return std::nullopt;
}

Confirmed SuspectConfirmer::confirm_in_children(Suspect& suspect, ExamineOptions& options) {
  Confirmed confirmed{{}, &runner_};
  std::unique_ptr<FreshProcess> fresh;
  for (const std::uint32_t i : possible_implementations(suspect)) {
    suspect.implementation = options.implementation = i;
    const std::uint64_t key = key_of(zygote_.hello(), suspect);
    // What was examined before and did not show again needs many runs, not a fresh process.
    if (!fresh && !met_.was_unconfirmed(key)) fresh = fresh_.take();
    confirmed = {confirm(runner_, fresh.get(), suspect.c, key, options), &runner_};
    if (confirmed.how.failed == 0 && options.before.empty())
      confirmed.how.right_before =
          right_runs_before_failure(runner_, suspect.c, confirmed.how.key, options);
    if (is_rare(confirmed.how) && options.before.empty() && !on_spares(i))
      add_longer_look(confirmed.how,
                      confirm_patiently(runner_, suspect.c, confirmed.how.key, {}, options));
    confirmed.how = confirm_after_its_predecessors(suspect, confirmed.how, fresh.get(), options);
    if (confirmed.how.failed == 0 && !on_spares(i))
      confirmed.how = confirm_patiently(runner_, suspect.c, key, confirmed.how, options);
    if (confirmed.how.failed > 0) break;
  }
  return confirmed;
}

std::optional<Confirmed> SuspectConfirmer::confirm_stopped_taking(const Suspect& suspect,
                                                                  ExamineOptions& options) {
  // Otherwise the kernel was never made for it.
  if (fails_alone(suspect.c, options)) return std::nullopt;
  const auto fresh = fresh_.take();
  const Confirmed confirmed{confirm_after_its_predecessors(suspect, {}, fresh.get(), options),
                            &runner_};
  return confirmed.how.failed == 0 ? std::nullopt : std::optional(confirmed);
}

bool SuspectConfirmer::fails_alone(const Case& c, const ExamineOptions& options) {
  ExamineOptions alone = options;
  alone.before.clear();
  RunOptions run = run_options(alone, {});
  run.own_process = true;
  const auto verdicts = runner_.run_in_one_process({&c, 1}, run);
  return verdicts.empty() || verdicts.front().status == Status::kFinding;
}

std::optional<Suspect> SuspectConfirmer::without_rule(const Suspect& suspect) {
  const Kind kind = suspect.verdict.kind;
  if (suspect.c.breaks == 0 || kind == Kind::kAccept || kind == Kind::kHang ||
      suspect.implementation >= zygote_.hello().implementations.size())
    return std::nullopt;
  Suspect legal = suspect;
  legal.c.breaks = 0;
  legal.silenced_place = -1;
  Runner& runner = on_spares(suspect.implementation) ? *spares_ : runner_;
  const auto verdicts =
      runner.run_in_one_process({&legal.c, 1}, run_options(options_for(legal), {}));
  if (verdicts.empty() || verdicts.front().status != Status::kFinding) return std::nullopt;
  const std::uint64_t like_suspect = key_of(zygote_.hello(), legal);
  legal.verdict = verdicts.front();
  return key_of(zygote_.hello(), legal) == like_suspect ? std::optional(legal) : std::nullopt;
}

bool SuspectConfirmer::fails_afresh(Finding& finding, const ExamineOptions& options) {
  const std::unique_ptr<FreshProcess> fresh = fresh_.take();
  if (!fresh) return false;
  std::vector<Case> all = finding.before;
  all.push_back(finding.minimal);
  fresh->begin(std::move(all), run_options(options, {}));
  const Runner& waiting = on_spares(finding.implementation) ? *spares_ : runner_;
  const auto verdict = fresh->finish([&] { return waiting.stops_at_pulse(); });
  const std::string name = name_of(zygote_.hello(), finding.implementation);
  if (!verdict || !fails_alike(finding, *verdict, name)) return false;
  finding.verdict = *verdict;
  ++finding.reruns.failed;
  ++finding.reruns.runs;
  return true;
}

}  // namespace indexfuzz
