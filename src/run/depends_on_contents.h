#pragma once
// Whether a refusal depends on the arguments, or on what memory happened to hold.

#include <cstddef>

#include "run/call/plan.h"
#include "run/session.h"

namespace indexfuzz {

/// For a legal case that a custom kernel has just refused: whether it accepts the same call when
/// new memory holds zeros and freed memory keeps its contents, and refuses it again when both hold
/// canaries. Such a kernel reads memory that it has freed or never written. The arena must be laid
/// out again afterwards.
bool refusal_depends_on_contents(Session& session, std::size_t implementation, const Plan& plan);

}  // namespace indexfuzz
