#include "campaign/campaign.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "campaign/campaign_end.h"
#include "campaign/examine/examination_queue.h"
#include "campaign/examine/finder.h"
#include "campaign/examine/finding_publisher.h"
#include "campaign/failure.h"
#include "campaign/gpu/fatal_cases.h"
#include "campaign/gpu/gpu_fleet.h"
#include "campaign/schedule.h"
#include "campaign/start_notes.h"
#include "campaign/stop_signals.h"
#include "campaign/store/store.h"
#include "campaign/summary.h"
#include "campaign/told_once.h"
#include "campaign/workers/work_plan.h"
#include "campaign/workers/workers.h"
#include "run/shared/text_in.h"

namespace indexfuzz {
namespace {

using Clock = Schedule::Clock;
using std::chrono::milliseconds;

constexpr milliseconds kSummaryEvery{5000};
constexpr milliseconds kProgressEvery{100};
constexpr std::size_t kSavedAtOnce = 32;
// Re-runs of one suspect that run at the same time.
constexpr int kRunSlots = kForks;
// Those that no worker has.
constexpr int kOtherSlots = kRunSlots + GpuFleet::kMostSlots;
// Suspects that wait for their examination while their workers go on.
constexpr std::size_t kMostWaiting = 512;

WorkPlan with_gpu_limits(const GpuFleet& gpus, WorkPlan plan) {
  plan.mps_pipe = gpus.mps_pipe();
  plan.device_memory = gpus.worker_memory();
  return plan;
}

class Campaign {
 public:
  /// The members that are handed pulse() call it only while they work, not before all are
  /// constructed.
  Campaign(const CampaignOptions& options, CampaignListener& listener, StopSignals& signals)
      : options_(options),
        listener_(listener),
        signals_(signals),
        schedule_(options, Clock::now()),
        told_(listener),
        zygote_(options.worker, options.jobs + kOtherSlots, [this] { return pulse_at_start(); }),
        hello_(zygote_.hello()),
        corpus_(zygote_.memory(), targets(hello_, options.worker.operators), options.limits),
        plan_(work_plan(options, hello_, corpus_)),
        gpus_(
            zygote_, {plan_.gpu_jobs, options.mps, options.gpu_memory, options.strict},
            options.jobs + kRunSlots, [this] { return pulse(); },
            [this] { return signals_.arrived(); }),
        runner_(zygote_, {options.jobs, kRunSlots}, options.strict, [this] { return pulse(); }),
        finder_(zygote_, runner_, gpus_.runner(), options),
        store_(options.out),
        publisher_(store_, finder_, options, hello_, listener),
        workers_(zygote_, with_gpu_limits(gpus_, plan_)),
        fatal_cases_(hello_, gpus_.fatal_runner(), workers_.plan()),
        examinations_({hello_, workers_, finder_, publisher_, store_, gpus_.runner()},
                      zygote_.memory()) {}

  CampaignEnd run();

 private:
  bool pulse_at_start();
  bool pulse();
  void stop_if_due();
  void load_corpus();
  void work();
  bool is_called_off() const;
  void poll_workers();
  void accept_suspect(Suspect suspect);
  void drop_suspect(const Suspect& suspect);
  bool examine_one();
  void leave_unexamined();
  void break_off(Reason reason, const std::exception& error);
  void keep_found(std::size_t most);
  void publish(std::string_view state, const CampaignEnd& end);
  bool is_late() const { return schedule_.is_late(Clock::now()); }
  bool is_over() const { return signals_.arrived() || finder_.enough() || is_late(); }
  CampaignStatus status() const;
  CampaignEnd end() const;
  CampaignEnd finish();

  const CampaignOptions& options_;
  CampaignListener& listener_;
  StopSignals& signals_;
  Schedule schedule_;
  ToldOnce told_;
  ZygoteClient zygote_;
  const Hello& hello_;
  CoverageCorpus corpus_;
  WorkPlan plan_;
  GpuFleet gpus_;
  Runner runner_;
  Finder finder_;
  Store store_;  // after these: a campaign that cannot begin leaves no folder
  FindingPublisher publisher_;
  Workers workers_;
  FatalCases fatal_cases_;
  ExaminationQueue examinations_;
  Clock::time_point progressed_{};
  Clock::time_point published_{};
  std::uint64_t unexamined_ = 0;  ///< failures that were let go because it was late
  Broken broken_;
};

CampaignStatus Campaign::status() const {
  const auto now = Clock::now();
  CampaignStatus status;
  status.seconds = schedule_.seconds(now);
  status.elapsed = schedule_.elapsed(now);
  status.drawing = schedule_.drawing();
  status.hello = &hello_;
  status.totals = add_up(zygote_.memory(), options_.jobs, fatal_cases_.totals());
  for (const Finding& finding : finder_.findings()) status.findings.push_back(&finding);
  status.unconfirmed = finder_.met().unconfirmed();
  status.elusive = finder_.met().elusive();
  status.untracked = finder_.met().untracked();
  status.duplicates = finder_.met().duplicates();
  status.unlocated = examinations_.unlocated();
  status.unexamined = unexamined_;
  status.cut_off = finder_.cut_off() - unexamined_;
  status.worker_deaths = workers_.deaths();
  status.fatal_cases = fatal_cases_.cases();
  status.property_cases = workers_.cases(Engine::kProperty);
  status.coverage_cases = workers_.cases(Engine::kCoverage);
  status.corpus = corpus_.found();
  status.examined = examinations_.examined();
  status.waiting = examinations_.waiting();
  if (const auto call = workers_.longest_call();
      call && call->implementation < hello_.implementations.size()) {
    status.long_call =
        fmt::format("{} has not returned for {} s",
                    hello_.implementations[call->implementation].name, call->lasts.count());
  }
  status.checking = publisher_.unchecked();
  if (options_.worker.native_coverage) status.native = &zygote_.memory().native;
  return status;
}

void Campaign::publish(std::string_view state, const CampaignEnd& end) {
  const SummaryFrame frame{state,         end.exit_code, end.reasons,
                           options_.seed, plan_.jobs,    options_.worker.operators,
                           end.unverified};
  store_.write_summary(summary_json(status(), frame));
  published_ = Clock::now();
}

/// Called while a worker gets ready. True once a stop signal has arrived.
bool Campaign::pulse_at_start() {
  told_.getting_ready(schedule_.elapsed(Clock::now()));
  return signals_.arrived();
}

/// Does what must go on also while a finding is examined. True once a stop signal has arrived.
bool Campaign::pulse() {
  const auto now = Clock::now();
  if (now - progressed_ > kProgressEvery) {
    progressed_ = now;
    listener_.update(status());
  }
  if (now - published_ > kSummaryEvery) publish("running", {});
  publisher_.take_checked();
  poll_workers();
  if (workers_.all_ended()) schedule_.end_drawing(now);
  stop_if_due();
  return signals_.arrived();
}

/// Stops the workers as soon as there is a reason, also while a failure is examined.
void Campaign::stop_if_due() {
  const auto now = Clock::now();
  const bool nothing_left =
      workers_.all_ended() && !fatal_cases_.are_under_way() && examinations_.waiting() == 0;
  if (schedule_.stopped() || nothing_left) return;
  if (!signals_.arrived() && store_.trouble().empty() && !schedule_.time_is_up(now) &&
      !finder_.enough())
    return;
  workers_.stop();
  schedule_.stop(now, finder_.enough());
}

/// Takes over what workers hand in, so that they can go on.
void Campaign::poll_workers() {
  for (Suspect& suspect : workers_.poll()) accept_suspect(std::move(suspect));
  for (Suspect& suspect : fatal_cases_.collect()) accept_suspect(std::move(suspect));
  if (schedule_.stopped() || workers_.all_ended() || !workers_.are_under_way()) return;
  gpus_.refill();
  finder_.get_ready();
  // An examination under way needs the next contexts on the GPU itself.
  if (examinations_.examined().empty()) fatal_cases_.begin();
}

void Campaign::accept_suspect(Suspect suspect) {
  suspect.seconds = schedule_.elapsed(Clock::now());
  // Which case of a batch failed is not clear yet: nothing can be noted.
  const bool in_batch = suspect.batch_end != 0;
  if (suspect.verdict.status == Status::kRefused && !in_batch) {  // time or memory did not suffice
    if (suspect.waits) workers_.resume(suspect.worker, suspect.case_number + 1);
    return;
  }
  const bool noted = in_batch || finder_.note(suspect);
  const bool lines_up = noted && (in_batch || !is_over());
  // A single worker that the user asked for waits until its failure is examined: which cases run
  // next depends on the result, and those of the property engine must be the same each time.
  const bool same_each_time =
      plan_.jobs == 1 && options_.jobs_named && suspect.engine == Engine::kProperty;
  const std::uint64_t next = in_batch ? suspect.batch_end : suspect.case_number + 1;
  // Every case that was asked for by number is to be run.
  const bool sets_aside = options_.steering && !options_.cases;
  const bool goes_on = !same_each_time && lines_up && examinations_.waiting() < kMostWaiting &&
                       (!in_batch || (sets_aside && examinations_.set_aside(suspect)));
  if (suspect.waits && (!lines_up || goes_on)) {
    // What the coverage engine has run is known only as long as the worker stands still.
    if (lines_up && suspect.engine == Engine::kCoverage)
      suspect.before = [ran = suspect.before()] { return ran; };
    workers_.resume(suspect.worker, next);
    suspect.waits = false;
  }
  told_.untracked(finder_.met().untracked());
  if (lines_up)
    examinations_.add(std::move(suspect));
  else if (noted)
    drop_suspect(suspect);
}

/// For a suspect that will not be examined, since examining must end.
void Campaign::drop_suspect(const Suspect& suspect) {
  if (is_late()) ++unexamined_;
  examinations_.abandon(suspect);
}

/// Takes in the inputs that the coverage engine has found; writes `most` of them at most, since
/// each file takes time.
void Campaign::keep_found(std::size_t most) {
  for (int w = 0; w < options_.jobs; ++w) corpus_.collect(zygote_.slot(w));
  corpus_.save(store_, most);
}

void Campaign::load_corpus() {
  if (options_.engines == Engines::kProperty) return;
  corpus_.load(options_.seeds, CoverageCorpus::Folder::kShipped);
  corpus_.load(options_.out / "corpus", CoverageCorpus::Folder::kOwn);
  if (corpus_.set_aside() > 0)
    store_.log({{"event", "corpus"}, {"set_aside", corpus_.set_aside()}});
}

void Campaign::work() {
  workers_.start();
  schedule_.begin_drawing();
  while (!workers_.all_ended() || fatal_cases_.are_under_way() || examinations_.waiting() > 0) {
    // A worker's failure is noticed only in the next round: rounds are short in the first seconds,
    // when failures are frequent.
    zygote_.receive(milliseconds(schedule_.elapsed(Clock::now()) < 10 ? 5 : 20));
    const bool interrupted = pulse();
    keep_found(kSavedAtOnce);
    // A worker that waited for the examination goes on only now.
    if (examine_one() && !interrupted) schedule_.renew_patience(Clock::now());
    if (!schedule_.patience_is_over(Clock::now(), interrupted)) continue;
    fatal_cases_.give_up();
    if (interrupted || !store_.trouble().empty()) {
      workers_.kill();
      continue;
    }
    told_.first_calls(hello_, workers_.in_first_calls());
    for (Suspect& suspect : workers_.kill_hanging()) accept_suspect(std::move(suspect));
  }
  schedule_.end_drawing(Clock::now());
}

/// False if no suspect waits.
bool Campaign::examine_one() {
  const std::optional<Suspect> suspect = examinations_.take_next();
  if (!suspect) return false;
  std::uint64_t next = suspect->case_number + 1;
  if (is_over())
    drop_suspect(*suspect);
  else
    next = examinations_.examine(*suspect);
  told_.untracked(finder_.met().untracked());
  if (suspect->waits) workers_.resume(suspect->worker, next);
  return true;
}

/// Whether the findings that ended the work are no longer enough, now that their programs were run.
bool Campaign::is_called_off() const {
  return schedule_.had_enough() && !finder_.enough() && !signals_.arrived() &&
         store_.trouble().empty() && !schedule_.time_is_up(Clock::now());
}

CampaignEnd Campaign::end() const {
  Broken broken = broken_;
  broken.trouble = store_.trouble();
  return end_of(status(), options_, signals_.arrived(), broken);
}

/// Logs at least the failures that are still in line.
void Campaign::leave_unexamined() {
  try {
    examinations_.abandon_all();
  } catch (const StorageError&) {
    // The store remembers what went wrong, and end() reports it.
  }
}

void Campaign::break_off(Reason reason, const std::exception& error) {
  broken_ = {reason, error.what(), ""};
  leave_unexamined();
}

CampaignEnd Campaign::run() {
  schedule_.begin(Clock::now());
  told_.begins();
  try {
    store_.log({{"event", "start"},
                {"seed", options_.seed},
                {"jobs", plan_.jobs},
                {"torch", hello_.torch}});
    if (const auto& contract = options_.worker.contract) store_.write_contract(contract->text);
    if (const std::string why = text_in(zygote_.memory().native.error); !why.empty())
      listener_.note(why);
    for (const std::string& note : start_notes(hello_, plan_, options_, store_.earlier()))
      listener_.note(note);
    if (const std::string why = gpus_.without_mps(); !why.empty()) listener_.note(why);
    publish("running", {});
    load_corpus();
    do {
      publisher_.share_processors(/*with_workers=*/true);
      work();
      keep_found(SIZE_MAX);
      publisher_.share_processors(/*with_workers=*/false);
      while (!publisher_.all_checked() && store_.trouble().empty() && !pulse())
        zygote_.receive(milliseconds(20));
    } while (is_called_off());
  } catch (const StorageError& error) {
    break_off(Reason::kStorage, error);
  } catch (const DeviceMissing& error) {
    break_off(Reason::kDevice, error);
  } catch (const Interruption&) {
    // A signal arrived while a worker was started again: end() sees it, and the findings are kept.
    leave_unexamined();
  } catch (const std::exception& error) {
    // The set-up failed, or the system has no memory or thread to spare: the findings are kept.
    break_off(Reason::kSetup, error);
  }
  return finish();
}

/// Writes down and tells how it ended.
CampaignEnd Campaign::finish() {
  schedule_.end_drawing(Clock::now());
  CampaignEnd result = end();
  try {
    store_.log({{"event", "end"}, {"exit_code", result.exit_code}});
    publish("done", result);
    // Writing these lines may have filled the disk.
    if (const CampaignEnd last = end(); last.exit_code != result.exit_code) {
      publish("done", result = last);
    }
  } catch (const StorageError& error) {
    result.reasons.push_back(Reason::kStorage);
    result.exit_code = exit_code(result.reasons, options_.findings_code);
    if (result.error != error.what())
      result.error += fmt::format("{}{}", result.error.empty() ? "" : " ", error.what());
  }
  listener_.ended(status());
  return result;
}

}  // namespace

int most_jobs() {
  return ZygoteClient::kMostSlots - kOtherSlots;
}

CampaignEnd run_campaign(const CampaignOptions& options, CampaignListener& listener) {
  StopSignals signals;
  try {
    return Campaign(options, listener, signals).run();
  } catch (const Interruption&) {
    return {exit_code({Reason::kInterrupted}), {Reason::kInterrupted}, "", {}};
  }
}

}  // namespace indexfuzz
