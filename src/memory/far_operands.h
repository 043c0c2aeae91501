#pragma once
// Operands whose slices lie far apart (case/far_slices.h) while a call on the host is under way.

#include <boost/container/static_vector.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "case/case.h"
#include "case/far_slices.h"
#include "memory/observation.h"

namespace indexfuzz {

struct PlacedOperand;

/// Of an operand that lies as its layout says: the view and the bytes that it takes once its slices
/// lie apart. Its addresses stay.
void widen(const FarSlices& slices, Dtype dtype, PlacedOperand& placed);

/// Owns address space for one operand, of which only the slices are memory: a wrong offset between
/// them is a fault. Reserved when first needed, and reused.
class FarSpace {
 public:
  FarSpace() = default;
  FarSpace(const FarSpace&) = delete;
  FarSpace& operator=(const FarSpace&) = delete;
  ~FarSpace();

  /// False where the system gives no such address space.
  bool reserve();
  bool holds(const void* address) const;
  /// The memory so many bytes from the first slice, a multiple of kUnit: `bytes` of it and the rest
  /// of the page, all `canary`; empty where the system gives none.
  std::span<std::byte> window(std::int64_t from_first, std::int64_t bytes, std::byte canary);

 private:
  /// All distances between slices are multiples of it, and no slice is longer.
  static constexpr std::int64_t kUnit = std::int64_t{1} << far_exponent(Slices::kHalfFar);
  static constexpr std::int64_t kMostItemBytes = 16;
  /// In front of the first slice: there an offset leads whose 32 bits have become negative.
  static constexpr std::int64_t kFront = kFarStride * kMostItemBytes;
  static constexpr std::int64_t kSlices = kMostFarSlices * kFarStride * kMostItemBytes;

  std::byte* first_ = nullptr;
  std::vector<std::int64_t> accessible_;  ///< bytes from each multiple of kUnit on
};

/// Lays such operands out for one call after the other. All others stay in the arena.
class FarOperands {
 public:
  /// Copies the slices of `near`, the operands of a case in the arena, to where they lie far apart.
  /// Returns the operands as the call must see them, until the next one. Where the system gives no
  /// address space for an operand, it stays as it lies.
  std::span<const PlacedOperand> spread(const Case& c, std::span<const PlacedOperand> near);
  /// After that call: copies them back where it changed them, tells of bytes beside them that were
  /// overwritten, and lets what was seen of them lie where they lie in the arena.
  void bring_back(const Case& c, std::span<const PlacedOperand> near, Observation& seen);

  /// The operand whose address space holds the address, or -1.
  int operand_at(const void* address) const;

 private:
  struct Apart {
    std::size_t operand;
    FarSlices slices;
    FarPlaces places;
    std::array<std::span<std::byte>, kMostFarSlices> windows;
  };
  bool copy_apart(const PlacedOperand& near, Apart& apart);
  void translate(std::span<const PlacedOperand> near, ReturnedTensor& tensor) const;

  std::array<FarSpace, kMaxOperands> spaces_;
  boost::container::static_vector<Apart, kMaxOperands> apart_;  ///< of the call under way
  std::vector<PlacedOperand> placed_;
};

}  // namespace indexfuzz
