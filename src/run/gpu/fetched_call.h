#pragma once
// Calls whose bytes are brought back from the device for the host's judge.

#include <array>
#include <vector>

#include "memory/arena.h"
#include "memory/observation.h"
#include "run/gpu/device_call.h"

namespace indexfuzz {

/// What a call may have written, brought to the host.
struct FetchedCall {
  std::array<std::vector<std::byte>, kMaxOperands> blocks;  ///< with the canaries around them
  std::vector<std::byte> result, written;                   ///< elements that lie in no operand
};

/// Adds to `copies` what the host needs to judge the call; they point into `fetched`.
void ask_for(const DeviceCall& call, FetchedCall& fetched, std::vector<DeviceCopy>& copies);

/// Lays the case out in the arena again and puts what was fetched in its place. Returns what the
/// call did, for the host's judge; it points into `fetched` and the arena.
Observation bring_to_host(const DeviceCall& call, const FetchedCall& fetched, bool heap_damaged,
                          Arena& arena);

}  // namespace indexfuzz
