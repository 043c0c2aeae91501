#include "run/coverage/call_outcome.h"

#include <algorithm>

namespace indexfuzz {

bool is_worth_keeping(const CallOutcomes& outcomes) {
  const auto holds = [&](Status status) {
    return std::ranges::any_of(outcomes,
                               [&](const CallOutcome& call) { return call.status == status; });
  };
  return holds(Status::kAgreed) && !holds(Status::kFinding);
}

}  // namespace indexfuzz
