#include "run/session/judge_call.h"

namespace indexfuzz {

std::optional<Breach> to_be_refused(const Implementation& implementation, const Case& named) {
  const Contract* const contract = implementation.contract;
  if (contract == nullptr || !contract->must_refuse || named.breaks != 0) return std::nullopt;
  return sure_breach(*contract, named);
}

Verdict judge_call(Session& session, std::size_t implementation, const Observation& observation) {
  const Case& c = session.arena->current();
  const auto breach = to_be_refused(session.implementations[implementation], c);
  Standing standing = standing_of(session, implementation);
  standing.strict &= !breach;
  const Verdict verdict = judge(*session.arena, observation, standing);
  return breach ? judge_outside_contract(verdict, observation, describe(*breach, c)) : verdict;
}

Standing standing_of(const Session& session, std::size_t implementation) {
  const Implementation& called = session.implementations[implementation];
  return {.is_custom = called.custom,
          .strict = session.slot.job.strict && !called.comes_along,
          .is_gradient = called.is_gradient,
          .is_meta = called.is_meta};
}

}  // namespace indexfuzz
