#include "run/jobs/warm_up.h"

#include <utility>

#include "ops/contract/keeps.h"
#include "ops/repair/other_calls.h"
#include "ops/repair/repair.h"
#include "run/host/host_call.h"
#include "run/session/first_call.h"

namespace indexfuzz {

std::vector<Case> warming_up(const Implementation& implementation, const Plan& plan,
                             const Case& like) {
  std::vector<Case> cases{plainest_case(plan.op->number, plan.overload, plan.variant),
                          with_one_element(like)};
  if (const Contract* const contract = implementation.contract) {
    for (Case& c : cases) repair(c, {.contract = contract});
    std::erase_if(cases, [&](const Case& c) { return !keeps(*contract, c); });
  }
  return cases;
}

void warm_up(Session& session, std::size_t implementation, const Plan& plan, const Case& like) {
  if (!is_first_call(session, implementation, plan)) return;
  for (Case& c : warming_up(session.implementations[implementation], plan, like)) {
    session.arena->prepare(std::move(c));
    session.arena->mark_dirty();  // this call is not judged
    observe(session, implementation, plan);
    forget(session, implementation, plan);
    if (!is_first_call(session, implementation, plan)) return;
  }
}

}  // namespace indexfuzz
