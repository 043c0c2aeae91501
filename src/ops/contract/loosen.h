#pragma once
// Cases just outside a contract.

#include <cstdint>

#include "case/contract.h"

namespace indexfuzz {

/// The contract without one of its terms, the same one for the same `number`: a case within it
/// breaks that term alone, if any.
Contract loosened(const Contract& contract, std::uint32_t number);

}  // namespace indexfuzz
