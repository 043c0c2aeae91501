#pragma once
// A case as an arena laid it out, copied to memory that outlives the arena's next case.

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
  bool out_fits = true;  ///< false: the call must resize `out`
  /// As in the arena, except that `data` and all that lies relative to it are in a copy of the
  /// extent, and `region` is null. `logical` is set only for a number passed by value, and is its
  /// one element.
  boost::container::static_vector<PlacedOperand, kMaxOperands> operands;
  std::array<const std::byte*, kMaxOperands> images{};  ///< what the extents hold after the call
  std::array<std::array<std::byte, 16>, kMaxOperands> numbers{};
  ResultSpec result;                    ///< of a legal case
  const std::byte* expected = nullptr;  ///< its elements, if they lie in no operand; else null
  /// For a case with several right results: all values of the elements that may hold several.
  std::span<const Contributor> contributors;
};

/// Copies the case that lies in the arena; false if `staging` has no room for it. `laid` points
/// into itself and must stay where it is.
bool copy_out(const Arena& arena, Staging& staging, LaidOut& laid);

}  // namespace indexfuzz
