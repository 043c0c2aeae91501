#include "campaign/examine/operators_aside.h"

#include <algorithm>
#include <bitset>
#include <set>

#include "ops/definition/operator.h"

namespace indexfuzz {

bool OperatorsAside::add(const Suspect& batch, const WorkPlan& plan) {
  std::set<Pair> pairs;
  for (const NumberedCall& call : batch.batch_calls) {
    const Case c = drawn_case(plan, batch.worker, call.case_number);
    pairs.insert({call.implementation, static_cast<std::size_t>(place_of(c.op))});
  }
  std::set<std::size_t> aside;
  for (const Pair& pair : pairs) aside.insert(pair.op_place);
  for (const auto& [id, others] : pairs_)
    for (const Pair& pair : others) aside.insert(pair.op_place);
  const bool is_any_left = std::ranges::any_of(plan.targets, [&](const Target& target) {
    return !aside.contains(static_cast<std::size_t>(place_of(target.op)));
  });
  if (!is_any_left) return false;
  pairs_[id_of(batch)].assign(pairs.begin(), pairs.end());
  tell();
  return true;
}

void OperatorsAside::narrow(const Suspect& batch, const Suspect& located) {
  if (pairs_.erase(id_of(batch)) == 0) return;
  pairs_[id_of(located)] = {
      {located.implementation, static_cast<std::size_t>(place_of(located.c.op))}};
  tell();
}

void OperatorsAside::remove(const Suspect& suspect) {
  if (pairs_.erase(id_of(suspect)) > 0) tell();
}

void OperatorsAside::tell() {
  std::bitset<64> operators[kMaxImplementations][kMaxOperators / 64];
  for (const auto& [id, pairs] : pairs_)
    for (const auto& [implementation, place] : pairs)
      operators[implementation][place / 64].set(place % 64);
  for (std::size_t i = 0; i < kMaxImplementations; ++i)
    for (std::size_t word = 0; word < kMaxOperators / 64; ++word)
      memory_.set_aside[i][word].store(operators[i][word].to_ullong(), std::memory_order_relaxed);
}

}  // namespace indexfuzz
