#include "campaign/value_lane.h"

#include <algorithm>

#include "draw/draw.h"
#include "ops/operator.h"

namespace indexfuzz {
namespace {

constexpr std::chrono::seconds kPause{2};
constexpr std::size_t kAtOnce = 8;
/// No worker has this number, so that the lane's cases are none of theirs.
constexpr std::uint32_t kLane = 1u << 20;
/// An operator has turns of 256 numbers.
constexpr std::uint64_t kStep = kOperatorTurn + 1;
constexpr int kMostDraws = 20'000;

}  // namespace

ValueLane::ValueLane(ZygoteClient& zygote, Runner& runner, const Hello& hello, const WorkPlan& plan)
    : zygote_(zygote), runner_(runner), hello_(hello), plan_(plan) {
  for (std::uint32_t i = 0; i < hello.implementations.size(); ++i) {
    if (hello.implementations[i].on_gpu()) on_gpus_.push_back(i);
  }
}

bool ValueLane::draw(Case& c, std::uint32_t& implementation) {
  for (int i = 0; i < kMostDraws; ++i, number_ += kStep) {
    draw_case(plan_.seed, kLane, number_, plan_.targets, plan_.limits, c);
    if (c.breaks == 0) continue;
    Case applied = c;
    if (!apply_rule(applied) || !is_illegal_by_value(applied)) continue;
    for (std::size_t k = 0; k < on_gpus_.size(); ++k) {
      implementation = on_gpus_[(turn_ + k) % on_gpus_.size()];
      if (form_for(hello_.implementations[implementation], c) == nullptr) continue;
      c.environment = {};
      turn_ += k + 1;
      number_ += kStep;
      return true;
    }
  }
  return false;
}

void ValueLane::count(const Case& c, std::uint32_t implementation, const Verdict& verdict) {
  const auto all = operators();
  const auto place =
      static_cast<std::size_t>(std::ranges::find(all, &operator_of(c)) - all.begin());
  Tally& tally = zygote_.slot(0).tallies[implementation][place];
  switch (verdict.status) {
    case Status::kAgreed: tally.refused += 1; break;
    case Status::kRefused:
      tally.refused += 1;
      tally.narrowed += 1;
      break;
    case Status::kVacuous: break;
    case Status::kUnsupported: tally.unsupported += 1; break;
    case Status::kFinding: tally.findings += 1; break;
  }
}

std::vector<Suspect> ValueLane::run() {
  std::vector<Suspect> suspects;
  if (on_gpus_.empty() || !plan_.limits.illegal || std::chrono::steady_clock::now() < next_)
    return suspects;
  std::vector<Case> cases;
  std::vector<std::uint32_t> implementations;
  std::vector<std::uint64_t> numbers;
  Case c;
  std::uint32_t implementation = 0;
  while (cases.size() < kAtOnce && draw(c, implementation)) {
    cases.push_back(c);
    implementations.push_back(implementation);
    numbers.push_back(number_ - kStep);
  }
  RunOptions options;
  options.timeout = plan_.timeout;
  const auto verdicts = runner_.run_apart(cases, implementations, options);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    count(cases[i], implementations[i], verdicts[i]);
    if (verdicts[i].status != Status::kFinding) continue;
    Suspect& suspect = suspects.emplace_back();
    suspect.c = cases[i];
    suspect.worker = kLane;
    suspect.case_number = numbers[i];
    suspect.implementation = implementations[i];
    suspect.verdict = verdicts[i];
    suspect.before = [] { return std::vector<Case>(); };
  }
  next_ = std::chrono::steady_clock::now() + kPause;
  return suspects;
}

}  // namespace indexfuzz
