#include "run/call/call_placement.h"

#include "run/watch/guarded_allocator.h"

namespace indexfuzz {

Placement placement_in(const Arena& arena) {
  return {arena.current(), arena.operands(), fits_out(arena), c10::Device(c10::DeviceType::CPU),
          guarded_allocator()};
}

}  // namespace indexfuzz
