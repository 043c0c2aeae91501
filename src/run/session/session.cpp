#include "run/session/session.h"

#include <unistd.h>

#include <algorithm>

#include "memory/guarded_heap.h"
#include "run/watch/signals.h"

namespace indexfuzz {
namespace {

constexpr std::size_t kVariants = 3;

/// For each operator, in the order of operators(), how many overloads those before it have; at the
/// end the number of all overloads.
const std::vector<std::size_t>& overloads_before() {
  static const std::vector<std::size_t> before = [] {
    std::vector<std::size_t> sums{0};
    for (const OperatorInfo* op : operators()) sums.push_back(sums.back() + op->overloads.size());
    return sums;
  }();
  return before;
}

/// Where the plans for one form start in Session::plans. Each process fills that: the table has no
/// room for overloads that no operator has.
std::size_t row_of(const Session& session, int place, std::size_t overload, Variant variant) {
  const std::size_t form =
      (overloads_before()[static_cast<std::size_t>(place)] + overload) * kVariants +
      static_cast<std::size_t>(variant);
  return form * session.implementations.size();
}

}  // namespace

Session::Session(std::span<const Implementation> implementations, SharedMemory& memory, Slot& slot)
    : implementations(implementations),
      memory(memory),
      slot(slot),
      support(implementations.size()),
      parent(getppid()),
      has_custom(std::ranges::any_of(
          implementations, [](const Implementation& i) { return i.custom && !i.on_gpu(); })) {
  observation.message.reserve(4096);
  plans.resize(overloads_before().back() * kVariants * implementations.size());
  called.resize(plans.size());
  for (std::size_t i = 0; i < implementations.size(); ++i) {
    for (const Plan& plan : implementations[i].plans) plans[place_of(*this, i, plan)] = &plan;
  }
  renew_arena(*this);
}

std::span<const Plan* const> plans_for(const Session& session, const Case& c) {
  const int place = place_of(c.op);
  if (place < 0 || c.overload >= operators()[static_cast<std::size_t>(place)]->overloads.size())
    return {};
  return std::span(session.plans)
      .subspan(row_of(session, place, c.overload, c.variant), session.implementations.size());
}

std::size_t place_of(const Session& session, std::size_t implementation, const Plan& plan) {
  return row_of(session, place_of(plan.op->number), plan.overload, plan.variant) + implementation;
}

bool memory_intact(Session& session) {
  const bool heap = GuardedHeap::instance().idle_intact();
  return session.arena->canaries_intact() && heap;
}

void renew_arena(Session& session) {
  watch_arena(nullptr);
  session.arena = std::make_unique<Arena>();
  watch_arena(session.arena.get());
}

}  // namespace indexfuzz
