#include "campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/failure.h"
#include "campaign/finder.h"
#include "campaign/locate.h"
#include "campaign/stop_signals.h"
#include "campaign/store.h"
#include "campaign/summary.h"
#include "campaign/value_lane.h"
#include "campaign/verify.h"
#include "campaign/workers.h"
#include "ops/operator.h"

namespace indexfuzz {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kSummaryEvery{5000};
constexpr milliseconds kStandsEvery{100};
constexpr std::size_t kSavedAtOnce = 32;
constexpr double kRedFrom = 10.0;  // seconds from which on a pair without a verdict is red
// Re-runs of one suspect that run at the same time.
constexpr int kRunSlots = 9;

WorkPlan work_plan(const CampaignOptions& options, const Hello& hello,
                   const CoverageCorpus& corpus) {
  WorkPlan plan;
  plan.corpus = &corpus;
  plan.jobs = options.jobs;
  plan.seed = options.seed;
  plan.targets = targets(hello, options.worker.operators);
  plan.limits = options.limits;
  plan.limits.gpu = std::ranges::any_of(hello.implementations, &ImplementationInfo::on_gpu);
  plan.strict = options.strict;
  plan.cases = options.cases;
  plan.timeout = options.timeout;
  plan.engines = options.engines;
  for (const std::string& flag : options.fuzzer_flags) plan.fuzzer_flags += flag + "\n";
  if (plan.targets.empty()) {
    throw SetupError(
        "no implementation has any of the operators asked for; `indexfuzz list "
        "implementations` shows what there is.");
  }
  if (plan.engines != Engines::kProperty && !hello.libfuzzer) {
    throw SetupError(
        "this build has no coverage engine; install libclang-rt-19-dev and build again, or use "
        "--engine property.");
  }
  if (plan.fuzzer_flags.size() >= kFuzzerFlagBytes)
    throw SetupError("the flags for libFuzzer are too long.");
  return plan;
}

std::string earlier_sentence(std::size_t findings) {
  return fmt::format("{} finding{} of earlier campaigns {} in this folder and stay{} as {}",
                     findings, findings == 1 ? "" : "s", findings == 1 ? "lies" : "lie",
                     findings == 1 ? "s" : "", findings == 1 ? "it is" : "they are");
}

class Campaign {
 public:
  Campaign(const CampaignOptions& options, CampaignListener& listener, StopSignals& signals)
      : options_(options),
        listener_(listener),
        signals_(signals),
        zygote_(options.worker, options.jobs + kRunSlots),
        hello_(zygote_.hello([this] { return signals_.arrived(); })),
        store_(options.out),
        runner_(zygote_, options.jobs, kRunSlots, options.strict, [this] { return beat(); }),
        finder_(zygote_, runner_, options),
        verifier_(options.python),
        corpus_(zygote_.memory(), options.out / "corpus", targets(hello_, options.worker.operators),
                options.limits),
        workers_(zygote_, work_plan(options, hello_, corpus_)),
        value_lane_(zygote_, runner_, hello_, workers_.plan()) {}

  CampaignEnd run();

 private:
  bool beat();
  void work();
  /// The case with which the worker goes on if it has died.
  std::uint64_t handle(const Suspect& suspect);
  void save(Finding& finding);
  void take_checked(const Verifier::Result& result);
  void finish_checks();
  void keep_found(std::size_t most);
  void publish(std::string_view state, const CampaignEnd& end);
  bool time_is_up() const;
  CampaignStatus status() const;
  CampaignEnd end() const;
  void judge_coverage(CampaignEnd& end) const;

  const CampaignOptions& options_;
  CampaignListener& listener_;
  StopSignals& signals_;
  ZygoteClient zygote_;
  const Hello& hello_;
  Store store_;  // behind the hello: what cannot begin leaves no folder
  Runner runner_;
  Finder finder_;
  Verifier verifier_;
  CoverageCorpus corpus_;
  Workers workers_;
  ValueLane value_lane_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point stood_{};
  Clock::time_point published_{};
  std::optional<double> seconds_;  ///< once no case is drawn any more
  std::size_t unchecked_ = 0;
  std::optional<Reason> broken_;
  std::string error_;
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

CampaignStatus Campaign::status() const {
  CampaignStatus status;
  status.seconds = seconds_.value_or(seconds_since(began_));
  status.hello = &hello_;
  status.totals = add_up(zygote_.memory(), options_.jobs, status.hello->implementations.size());
  for (const Finding& finding : finder_.findings()) status.findings.push_back(&finding);
  status.unconfirmed = finder_.unconfirmed();
  status.duplicates = finder_.duplicates();
  status.deaths = workers_.deaths();
  status.property_cases = workers_.cases(Engine::kProperty);
  status.coverage_cases = workers_.cases(Engine::kCoverage);
  status.corpus = corpus_.found();
  status.checking = unchecked_;
  if (options_.worker.native_coverage) status.native = &zygote_.memory().native;
  return status;
}

void Campaign::publish(std::string_view state, const CampaignEnd& end) {
  const SummaryFrame frame{state,         end.exit_code, end.reasons,
                           options_.seed, options_.jobs, options_.worker.operators};
  store_.write_summary(summary_json(status(), frame));
  published_ = Clock::now();
}

/// What must go on also while a finding is examined. True once a signal has come.
bool Campaign::beat() {
  const auto now = Clock::now();
  if (now - stood_ > kStandsEvery) {
    stood_ = now;
    listener_.stands(status());
  }
  if (now - published_ > kSummaryEvery) publish("running", {});
  if (const auto result = verifier_.poll()) take_checked(*result);
  return signals_.arrived();
}

bool Campaign::time_is_up() const {
  if (options_.time && Clock::now() - began_ >= *options_.time) return true;
  return options_.stop_at && std::chrono::system_clock::now() >= *options_.stop_at;
}

/// Takes in what the coverage engine has found; writes some of it, since each file takes its time.
void Campaign::keep_found(std::size_t most) {
  for (int w = 0; w < options_.jobs; ++w) corpus_.collect(zygote_.slot(w));
  corpus_.save(most);
}

void Campaign::work() {
  if (options_.engines != Engines::kProperty) {
    corpus_.load(options_.seeds);
    corpus_.load(options_.out / "corpus");
    if (corpus_.set_aside() > 0)
      store_.log({{"event", "corpus"}, {"set_aside", corpus_.set_aside()}});
  }
  workers_.start();
  std::optional<Clock::time_point> stopped;
  while (!workers_.all_ended()) {
    // A failure that waits is seen at the next look only: look often as long as they come.
    zygote_.receive(milliseconds(seconds_since(began_) < 10 ? 5 : 20));
    const bool interrupted = beat();
    const bool trouble = !store_.trouble().empty();
    if (!stopped && (interrupted || trouble || time_is_up() || finder_.enough())) {
      workers_.stop();
      stopped = Clock::now();
    }
    keep_found(kSavedAtOnce);
    for (const Suspect& suspect : workers_.poll()) {
      std::uint64_t next = suspect.case_number + 1;
      if (!signals_.arrived() && !finder_.enough()) next = handle(suspect);
      workers_.resume(suspect.worker, next);
    }
    if (!stopped) {
      for (const Suspect& suspect : value_lane_.run()) {
        if (!signals_.arrived() && !finder_.enough()) handle(suspect);
      }
    }
    // A call that hangs may still become a finding, unless somebody wants it to end now.
    const auto patience = interrupted ? milliseconds(1000) : options_.timeout + milliseconds(2000);
    if (stopped && Clock::now() - *stopped > patience) workers_.kill();
  }
}

std::uint64_t Campaign::handle(const Suspect& noticed) {
  std::optional<Suspect> located = noticed;
  if (noticed.batch_end != 0) located = locate_in_batch(runner_, hello_, workers_.plan(), noticed);
  if (!located) {
    store_.log({{"event", "unlocated"},
                {"message", noticed.verdict.message.data()},
                {"seed", options_.seed},
                {"worker", noticed.worker},
                {"first", noticed.case_number},
                {"end", noticed.batch_end}});
    return noticed.batch_end;
  }
  if (Finding* finding = finder_.examine(*located, seconds_since(began_), store_)) save(*finding);
  return located->case_number + 1;
}

void Campaign::save(Finding& finding) {
  const std::string& id = finding.signature.id;
  const bool first =
      store_.save_finding(id, finding_files(finding, hello_, options_.worker.libraries));
  store_.log({{"event", first ? "finding" : "met again"},
              {"id", id},
              {"signature", finding.signature.text},
              {"known", finding.known},
              {"seconds", finding.first_seconds}});
  if (first) {
    listener_.saved(finding, store_.finding(id));
  } else {
    listener_.met_again(finding, store_.finding(id));
  }
  // What the ledger holds was run when it was entered.
  if (!options_.verify || finding.known) return;
  verifier_.add(id, store_.finding(id));
  ++unchecked_;
}

void Campaign::take_checked(const Verifier::Result& result) {
  --unchecked_;
  auto& findings = finder_.findings();
  const auto finding =
      std::ranges::find_if(findings, [&](const Finding& f) { return f.signature.id == result.id; });
  if (finding == findings.end()) return;
  finding->repro_py = result.python;
  finding->repro_cpp = result.cpp;
  store_.update_finding(result.id, verified_json(*finding));
  if (!result.note.empty()) {
    store_.log({{"event", withdrawn(*finding) ? "withdrawn" : "unchecked"},
                {"id", result.id},
                {"note", result.note}});
  }
  listener_.checked(*finding, result.note);
}

void Campaign::finish_checks() {
  while (!verifier_.idle() && store_.trouble().empty() && !beat())
    zygote_.receive(milliseconds(20));
}

/// What was asked for and has shown nothing.
void Campaign::judge_coverage(CampaignEnd& end) const {
  const CampaignStatus now = status();
  const bool asked = !options_.worker.implementations.empty();
  for (std::size_t i = 0; i < now.hello->implementations.size(); ++i) {
    if (sum(now.totals.implementations[i]).judged() == 0) {
      end.unverified.push_back(now.hello->implementations[i].name);
    }
  }
  const bool none = now.totals.cases == 0;
  if (now.seconds >= kRedFrom) {
    for (const Pair& pair : existing_pairs(*now.hello, options_.worker.operators)) {
      if (now.totals.implementations[pair.implementation][pair.op].judged() != 0) continue;
      const std::string& implementation = now.hello->implementations[pair.implementation].name;
      if (std::ranges::find(end.unverified, implementation) != end.unverified.end()) continue;
      end.unverified.push_back(fmt::format("{} of {}", operators()[pair.op]->name, implementation));
    }
  } else if ((!asked && !none) || signals_.arrived()) {
    end.unverified.clear();
  }
  if (!end.unverified.empty()) end.reasons.push_back(Reason::kInconclusive);
}

/// Nobody without indexfuzz could show it.
bool denied(const Finding& finding) {
  return withdrawn(finding) && finding.repro_py != Verified::kYes &&
         finding.repro_cpp != Verified::kYes;
}

CampaignEnd Campaign::end() const {
  CampaignEnd end;
  end.error = error_;
  if (broken_) end.reasons.push_back(*broken_);
  if (!broken_ && !store_.trouble().empty()) {
    end.reasons.push_back(Reason::kStorage);
    end.error = store_.trouble();
  }
  const bool found = std::ranges::any_of(finder_.findings(),
                                         [](const Finding& f) { return !f.known && !denied(f); });
  if (found) end.reasons.push_back(Reason::kNew);
  judge_coverage(end);
  if (signals_.arrived()) end.reasons.push_back(Reason::kInterrupted);
  end.exit_code = exit_code(end.reasons, options_.findings_code);
  return end;
}

CampaignEnd Campaign::run() {
  began_ = Clock::now();
  try {
    store_.log({{"event", "start"},
                {"seed", options_.seed},
                {"jobs", options_.jobs},
                {"torch", hello_.torch}});
    if (zygote_.memory().native.error[0] != '\0') listener_.note(zygote_.memory().native.error);
    if (store_.earlier() > 0) listener_.note(earlier_sentence(store_.earlier()));
    publish("running", {});
    work();
    keep_found(SIZE_MAX);
    seconds_ = seconds_since(began_);
    finish_checks();
  } catch (const StorageError& error) {
    broken_ = Reason::kStorage;
    error_ = error.what();
  } catch (const DeviceMissing& error) {
    broken_ = Reason::kDevice;
    error_ = error.what();
  } catch (const SetupError& error) {
    broken_ = Reason::kSetup;
    error_ = error.what();
  }
  if (!seconds_) seconds_ = seconds_since(began_);
  CampaignEnd result = end();
  try {
    store_.log({{"event", "end"}, {"exit_code", result.exit_code}});
    publish("done", result);
    // The disk may have run full with these very lines.
    if (const CampaignEnd last = end(); last.exit_code != result.exit_code) {
      publish("done", result = last);
    }
  } catch (const StorageError& error) {
    result.reasons.push_back(Reason::kStorage);
    result.exit_code = exit_code(result.reasons, options_.findings_code);
    result.error = error.what();
  }
  listener_.ended(status());
  return result;
}

}  // namespace

CampaignEnd run_campaign(const CampaignOptions& options, CampaignListener& listener) {
  StopSignals signals;
  try {
    return Campaign(options, listener, signals).run();
  } catch (const Interruption&) {
    return {exit_code({Reason::kInterrupted}), {Reason::kInterrupted}, "", {}};
  }
}

}  // namespace indexfuzz
