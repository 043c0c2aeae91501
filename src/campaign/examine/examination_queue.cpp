#include "campaign/examine/examination_queue.h"

#include <fmt/format.h>

#include <chrono>
#include <span>
#include <utility>

#include "campaign/examine/locate.h"
#include "campaign/examine/suspect_log.h"
#include "campaign/examine/waiting_line.h"
#include "judge/signature.h"

namespace indexfuzz {
namespace {

/// How long a batch is searched for the case that broke the GPU. Each of its calls is made twice at
/// most, which takes a second or two, unless calls are slow because of what is wrong with them.
constexpr std::chrono::seconds kSearch{30};

/// How the signature of the finding that the suspect may become will begin.
std::string in_short(const Suspect& suspect, const Hello& hello) {
  if (suspect.batch_end != 0)
    return fmt::format("a batch of cases on a GPU: {}", name(suspect.verdict.kind));
  // A process died between two calls: the implementation is not known yet.
  if (suspect.implementation >= hello.implementations.size()) return "a process that died";
  Verdict bare = suspect.verdict;
  bare.error_class = 0;
  return signature(suspect.c, bare, hello.implementations[suspect.implementation].name, {}, 0).text;
}

}  // namespace

void ExaminationQueue::add(Suspect suspect) {
  line_up(line_, std::move(suspect));
}

std::optional<Suspect> ExaminationQueue::take_next() {
  if (line_.empty()) return std::nullopt;
  Suspect next = std::move(line_.front());
  line_.pop_front();
  return next;
}

std::uint64_t ExaminationQueue::examine(const Suspect& suspect) {
  examined_ = in_short(suspect, tools_.hello);
  current_ = take_fault(suspect);
  std::uint64_t next = suspect.case_number + 1;
  if (suspect.batch_end == 0) {
    save_finding_of(suspect);
    operators_aside_.remove(suspect);
  } else {
    next = locate_and_examine(suspect);
  }
  current_.clear();
  examined_.clear();
  return next;
}

void ExaminationQueue::abandon(const Suspect& suspect) {
  operators_aside_.remove(suspect);
  tools_.finder.abandon(suspect);
  log_suspect(tools_.store, "cut off", suspect, tools_.hello, tools_.workers.plan().seed, 0);
}

void ExaminationQueue::abandon_current() {
  for (const Suspect& suspect : std::exchange(current_, {})) abandon(suspect);
}

void ExaminationQueue::abandon_all() {
  abandon_current();
  while (const std::optional<Suspect> next = take_next()) abandon(*next);
}

/// All batches that ended together, any of which may have ended the others. Takes those that wait
/// out of the line.
std::vector<Suspect> ExaminationQueue::take_fault(const Suspect& noticed) {
  std::vector<Suspect> all{noticed};
  if (noticed.fault == 0) return all;
  std::erase_if(line_, [&](Suspect& other) {
    const bool together = other.fault == noticed.fault;
    if (together) all.push_back(std::move(other));
    return together;
  });
  return all;
}

std::uint64_t ExaminationQueue::locate_and_examine(const Suspect& noticed) {
  auto located = locate_in_batches(*tools_.on_gpus, tools_.hello, tools_.workers.plan(), current_,
                                   std::chrono::steady_clock::now() + kSearch);
  // A search that was cut short proves nothing.
  const bool cut_short = !located && tools_.on_gpus->stops_at_pulse();
  const bool unlocated = !located && !cut_short;
  const auto next = [&](const Suspect& batch) {
    if (unlocated) return batch.batch_end;
    return located && located->worker == batch.worker ? located->case_number + 1
                                                      : batch.case_number;
  };
  // Before its worker goes on, which counts in the same places.
  if (located) tools_.workers.count_failure(*located);
  // The case is in one batch at most: the other workers need not wait for the result.
  for (const Suspect& other : std::span(current_).subspan(1)) {
    operators_aside_.remove(other);
    if (other.waits) tools_.workers.resume(other.worker, next(other));
  }
  if (located)
    operators_aside_.narrow(noticed, *located);
  else
    operators_aside_.remove(noticed);
  if (cut_short) abandon_current();
  if (unlocated) {
    ++unlocated_;
    log_unlocated(tools_.store, noticed, tools_.workers.plan().seed);
  }
  if (located) {
    log_located(tools_.store, *located, tools_.hello);
    if (noticed.waits) {
      current_ = {*located};
      save_finding_of(*located);
    } else {
      let_wait(*std::move(located));
    }
  }
  return next(noticed);
}

/// Lines up a case that was located in a batch whose worker has gone on.
void ExaminationQueue::let_wait(Suspect located) {
  located.fault = 0;  // no batches are looked at with it
  if (tools_.finder.note(located))
    line_up_behind_few(line_, std::move(located));
  else
    operators_aside_.remove(located);
}

void ExaminationQueue::save_finding_of(const Suspect& suspect) {
  if (const Finding* const finding = tools_.finder.examine(suspect, tools_.store))
    tools_.publisher.save(*finding);
}

}  // namespace indexfuzz
