#pragma once
// A case as an arena laid it out, copied to where it outlives the arena's next case.

#include <array>
#include <cstddef>
#include <span>

#include "memory/arena.h"
#include "run/device/contributor.h"
#include "run/device/staging.h"

namespace indexfuzz {

struct LaidOut {
  const Case* c = nullptr;
  bool must_refuse = false;
  bool out_fits = true;  ///< false: the call is to resize `out`
  /// As in the arena, but for `data`, which is a copy of the extent, and what lies relative to it;
  /// of a number passed by value `logical` is its one element. `region` is null.
  boost::container::static_vector<PlacedOperand, kMaxOperands> operands;
  std::array<const std::byte*, kMaxOperands> images{};  ///< what the extents hold after the call
  std::array<std::array<std::byte, 16>, kMaxOperands> numbers{};
  ResultSpec result;                    ///< of a legal case
  const std::byte* expected = nullptr;  ///< its elements, where they lie in no operand; else null
  /// Of a case with several right results: what else the elements may hold that have several.
  std::span<const Contributor> contributors;
};

/// Copies the case that lies in the arena; false where `staging` has no room for it. `laid` points
/// into itself and must stay where it is.
bool copy_out(const Arena& arena, Staging& staging, LaidOut& laid);

}  // namespace indexfuzz
