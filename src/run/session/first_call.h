#pragma once
// The first call of a custom kernel in a process, in which it may compile something.

#include <cstdint>

#include "run/session/session.h"

namespace indexfuzz {

/// Slot::patience, in seconds.
inline constexpr std::uint32_t kLongPatience = 60, kShortPatience = 20;

/// Whether no call of a custom implementation by this plan has returned yet in this process. The
/// first call that it does not refuse may compile something, which takes long and is not a hang: in
/// Python or on a GPU up to a minute, elsewhere not as long. begin_first_call() and
/// end_first_call() enclose such calls.
bool is_first_call(const Session& session, std::size_t implementation, const Plan& plan);
void begin_first_call(Session& session, std::size_t implementation, const Plan& plan);
void end_first_call(Session& session, std::size_t implementation, const Plan& plan,
                    Outcome outcome);

}  // namespace indexfuzz
