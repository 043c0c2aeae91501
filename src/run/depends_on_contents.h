#pragma once
// Whether a refusal tells of the arguments, or of what happened to lie in memory.

#include <cstddef>

#include "run/call/plan.h"
#include "run/session.h"

namespace indexfuzz {

/// Of a legal case that a custom kernel has just refused: whether it takes the same call where new
/// memory holds zeros and what is given back keeps what it held, and refuses it again where both
/// are canaries. Such a kernel reads what it has freed, or never written. Leaves the arena to be
/// laid out again.
bool refusal_depends_on_contents(Session& session, std::size_t implementation, const Plan& plan);

}  // namespace indexfuzz
