#include "campaign/examine/examination.h"

#include <fmt/format.h>

#include <utility>

#include "campaign/examine/locate.h"
#include "campaign/examine/suspect_log.h"
#include "campaign/examine/waiting_line.h"
#include "judge/signature.h"

namespace indexfuzz {
namespace {

/// As the finding will begin that it may become.
std::string in_short(const Suspect& suspect, const Hello& hello) {
  if (suspect.batch_end != 0)
    return fmt::format("a batch of cases on a GPU: {}", name(suspect.verdict.kind));
  // The one that died between two calls is not known yet.
  if (suspect.implementation >= hello.implementations.size()) return "a process that died";
  Verdict bare = suspect.verdict;
  bare.error_class = 0;
  return signature(suspect.c, bare, hello.implementations[suspect.implementation].name, {}, 0).text;
}

}  // namespace

void Examination::add(Suspect suspect) {
  line_up(line_, std::move(suspect));
}

std::optional<Suspect> Examination::take_next() {
  if (line_.empty()) return std::nullopt;
  Suspect next = std::move(line_.front());
  line_.pop_front();
  return next;
}

std::uint64_t Examination::examine(const Suspect& suspect) {
  examined_ = in_short(suspect, tools_.hello);
  current_ = suspect;
  const std::uint64_t next = locate_and_examine(suspect);
  current_.reset();
  examined_.clear();
  return next;
}

void Examination::abandon(const Suspect& suspect) {
  tools_.finder.abandon(suspect);
  log_suspect(tools_.store, "cut off", suspect, tools_.hello, tools_.workers.plan().seed, 0);
}

void Examination::abandon_all() {
  if (const std::optional<Suspect> broken_off = std::exchange(current_, std::nullopt))
    abandon(*broken_off);
  while (const std::optional<Suspect> next = take_next()) abandon(*next);
}

std::uint64_t Examination::locate_and_examine(const Suspect& noticed) {
  // It ended with the server that another one broke.
  if (noticed.fault != 0 && noticed.fault == explained_fault_) return noticed.case_number;
  std::optional<Suspect> located = noticed;
  if (noticed.batch_end != 0)
    located = locate_in_batch(*tools_.on_gpus, tools_.hello, tools_.workers.plan(), noticed);
  if (!located) {
    // The search was cut short: that tells nothing.
    if (tools_.is_over()) return noticed.case_number;
    ++unlocated_;
    log_unlocated(tools_.store, noticed, tools_.workers.plan().seed);
    return noticed.batch_end;
  }
  located->seconds = noticed.seconds;
  if (noticed.fault != 0) explained_fault_ = noticed.fault;
  if (noticed.batch_end != 0) {
    tools_.workers.count_failure(*located);
    log_located(tools_.store, *located, tools_.hello);
  }
  if (const Finding* const finding = tools_.finder.examine(*located, tools_.store))
    tools_.publisher.save(*finding);
  return located->case_number + 1;
}

}  // namespace indexfuzz
