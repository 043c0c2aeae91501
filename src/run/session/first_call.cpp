#include "run/session/first_call.h"

#include "run/call/python_libraries.h"

namespace indexfuzz {

bool is_first_call(const Session& session, std::size_t implementation, const Plan& plan) {
  return session.implementations[implementation].custom &&
         session.called[place_of(session, implementation, plan)] == 0;
}

void begin_first_call(Session& session, std::size_t implementation, const Plan& plan) {
  if (!is_first_call(session, implementation, plan)) return;
  const bool compiles =
      session.implementations[implementation].on_gpu() || !python_libraries().empty();
  session.slot.patience.store(compiles ? kLongPatience : kShortPatience);
}

void end_first_call(Session& session, std::size_t implementation, const Plan& plan,
                    Outcome outcome) {
  if (!is_first_call(session, implementation, plan)) return;
  session.slot.patience.store(0);
  if (outcome == Outcome::kReturned) session.called[place_of(session, implementation, plan)] = 1;
}

}  // namespace indexfuzz
