#pragma once
// Whether a refusal depends on the arguments, or on what memory happened to hold.

#include <cstddef>

#include "run/call/plan.h"
#include "run/session/session.h"

namespace indexfuzz {

/// For a legal case that a custom kernel has just refused: whether it
/// 1. accepts the same call with zeros around its operands, in their gaps and in new memory, while
///    freed memory keeps its contents, and
/// 2. refuses it again with canaries there.
/// Such a kernel reads bytes beside the elements of its operands, or memory that it has freed or
/// never written. The arena must be laid out again afterwards.
bool refusal_depends_on_contents(Session& session, std::size_t implementation, const Plan& plan);

}  // namespace indexfuzz
