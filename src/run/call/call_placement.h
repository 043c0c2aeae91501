#pragma once

#include <ATen/core/Tensor.h>

#include <span>

#include "memory/arena.h"

namespace indexfuzz {

/// Where the operands of one call lie.
struct Placement {
  const Case& c;
  std::span<const PlacedOperand> operands;  ///< addresses on `device`
  bool out_fits = true;                     ///< false: the call must resize `out`
  c10::Device device{c10::DeviceType::CPU};
  c10::Allocator* allocator = nullptr;  ///< for an `out` that grows
};
/// The placement of the case that lies in the arena.
Placement placement_in(const Arena& arena);

}  // namespace indexfuzz
