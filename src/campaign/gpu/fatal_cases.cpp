#include "campaign/gpu/fatal_cases.h"

#include <algorithm>

#include "draw/draw.h"
#include "ops/definition/illegal_rule.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

// An assertion in a kernel stops every context on the GPU for a while. On an H100, three a second
// take a quarter of the rate that a lone worker has with one in two seconds, and half of the rate
// of eight workers under MPS. What a kernel never checks shows in the first cases.
constexpr std::uint64_t kQuickCases = 32;
constexpr std::chrono::milliseconds kBetweenQuickCases{300};
constexpr std::chrono::milliseconds kBetweenCases{2000};
// After a search that found no such case.
constexpr std::chrono::seconds kPause{2};
/// Cases are drawn as the worker of this number would, which no worker has: they are not theirs.
constexpr std::uint32_t kWorker = 1u << 20;
/// Operators take turns of kOperatorTurn numbers: each step leads to the next operator's turn.
constexpr std::uint64_t kStep = kOperatorTurn + 1;
constexpr int kMostDraws = 20'000;
/// So few cases are run that another kind of case is worth drawing some more.
constexpr int kMostOfAKind = 16;
/// One in this many cases is called often enough to show a leak.
constexpr std::uint64_t kLeakSearchEvery = 16;

/// How far an index lies out of range: an int32 holds it, it is 0 as one, or neither.
int distance_class(std::int64_t index) {
  if (index == static_cast<std::int32_t>(index)) return 0;
  return static_cast<std::int32_t>(index) == 0 ? 1 : 2;
}

}  // namespace

/// Notes the kind of a case: its form, broken rule and distance of the index. False for one that
/// was noted before or is not worth a run.
bool FatalCases::note_kind(Case c, std::uint32_t implementation) {
  apply_rule(c);
  int distance = 0;
  for (const Operand& operand : c.operands)
    if (operand.poked) distance = distance_class(operand.poke_value);
  // A custom kernel is not asked to tell an index from what 32 bits of it hold.
  if (distance == 1 && hello_.implementations[implementation].custom) return false;
  return met_.insert({implementation, c.op, c.overload, c.variant, c.breaks, distance}).second;
}

FatalCases::FatalCases(const Hello& hello, Runner* runner, const WorkPlan& plan)
    : hello_(hello), runner_(runner), plan_(plan), totals_(hello.implementations.size()) {
  for (std::uint32_t i = 0; i < hello_.implementations.size(); ++i) {
    if (hello_.implementations[i].on_gpu()) on_gpus_.push_back(i);
  }
}

/// Draws the next case that may end a context and that an implementation on a GPU can take, which
/// take turns: the first of a new kind, or else the last of kMostOfAKind. False if kMostDraws were
/// not enough.
bool FatalCases::draw(UnderWay& next) {
  Case& c = next.c;
  int of_known_kinds = 0;
  for (int i = 0; i < kMostDraws; ++i, number_ += kStep) {
    draw_case(plan_.seed, kWorker, number_, plan_.targets, plan_.limits, c);
    if (!ends_gpu_context(c)) continue;
    for (std::size_t k = 0; k < on_gpus_.size(); ++k) {
      next.implementation = on_gpus_[(turn_ + k) % on_gpus_.size()];
      if (form_for(hello_.implementations[next.implementation], c) == nullptr) continue;
      const bool goes_on = i < kMostDraws / 2 && of_known_kinds < kMostOfAKind;
      if (!note_kind(c, next.implementation) && goes_on) {
        ++of_known_kinds;
        break;
      }
      c.environment = {};
      turn_ += k + 1;
      next.number = number_;
      number_ += kStep;
      return true;
    }
  }
  return false;
}

void FatalCases::count(const UnderWay& done, const Verdict& verdict) {
  PairTotals& totals = totals_[done.implementation][static_cast<std::size_t>(place_of(done.c.op))];
  counter_of(totals, verdict.status, /*illegal=*/true) += 1;
  if (verdict.status == Status::kRefused) totals.narrowed += 1;
}

Suspect FatalCases::suspect(const UnderWay& failed, const Verdict& verdict) const {
  Suspect suspect;
  suspect.c = failed.c;
  suspect.worker = kWorker;
  suspect.case_number = failed.number;
  suspect.implementation = failed.implementation;
  suspect.verdict = verdict;
  suspect.before = [] { return std::vector<Case>(); };
  suspect.waits = false;
  return suspect;
}

void FatalCases::begin() {
  if (runner_ == nullptr || !plan_.limits.illegal) return;
  while (true) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_begin_) return;
    if (drawn_.empty()) {
      if (now < next_draw_) return;
      if (!draw(drawn_.emplace_back())) {
        drawn_.clear();
        next_draw_ = now + kPause;
        return;
      }
    }
    UnderWay& next = drawn_.front();
    RunOptions options;
    options.implementation = next.implementation;
    options.timeout = plan_.timeout;
    // Most cases end their process at once, but a kernel that refuses by an error would be called
    // hundreds of times.
    options.look_longer = cases_ % kLeakSearchEvery == 0;
    const auto run = runner_->begin({&next.c, 1}, options);
    if (!run) return;
    next.run = *run;
    next_begin_ = now + (cases_ < kQuickCases ? kBetweenQuickCases : kBetweenCases);
    under_way_.splice(under_way_.end(), drawn_);
  }
}

void FatalCases::give_up() {
  for (UnderWay& one : under_way_) one.run.until = std::chrono::steady_clock::time_point::min();
}

std::vector<Suspect> FatalCases::collect() {
  std::vector<Suspect> suspects;
  std::erase_if(under_way_, [&](UnderWay& one) {
    if (!runner_->ended(one.run)) return false;
    const auto verdicts = runner_->verdicts(one.run);
    if (verdicts.empty()) return true;
    ++cases_;
    count(one, verdicts.front());
    if (verdicts.front().status == Status::kFinding)
      suspects.push_back(suspect(one, verdicts.front()));
    return true;
  });
  return suspects;
}

}  // namespace indexfuzz
