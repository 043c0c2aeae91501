#pragma once
// Lays the slices of operands far apart (case/far_slices.h), or behind those of a table, during a
// call on the host.

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

/// Changes the view and the sizes in bytes of an operand that lies as its layout says to those with
/// its slices far apart. Its addresses stay.
void widen(const FarSlices& slices, Dtype dtype, PlacedOperand& placed);
/// Notes what lies in front of an operand that is the last slices of a table; nothing for others.
void put_at_end_of_table(const Operand& operand, PlacedOperand& placed);

/// Owns address space for one operand. Accessible in it are only the slices and, for the last
/// slices of a table, what lies in front of them: an access between slices faults. Reserved when
/// first needed, and then reused.
class FarSpace {
 public:
  FarSpace() = default;
  FarSpace(const FarSpace&) = delete;
  FarSpace& operator=(const FarSpace&) = delete;
  ~FarSpace();

  /// False if the system refuses the address space.
  bool reserve();
  bool holds(const void* address) const;
  /// Leaves only the beginnings of this many slices, so many bytes apart, accessible. False if the
  /// system refuses.
  bool close_others(std::int64_t apart_bytes, std::int64_t slices);
  /// Makes the `bytes` bytes at `from_first`, in bytes from the first slice and a multiple of
  /// kUnit, accessible up to the end of their last page, and fills them with `canary`. Empty if the
  /// system gives no memory.
  std::span<std::byte> window(std::int64_t from_first, std::int64_t bytes, std::byte canary);
  /// Makes at least this many bytes in front of the first slice accessible, for good, at most some
  /// MiB more. What they hold does not matter. False if the system refuses.
  bool open_front(std::int64_t bytes);

 private:
  /// All distances between slices are multiples of kUnit, and no slice is longer.
  static constexpr std::int64_t kUnit = std::int64_t{1}
                                        << far_exponent(SlicePlacement::kApartBy2To30);
  static constexpr std::int64_t kMostItemBytes = 16;
  /// Reserved in front of the first slice: a table, and as much again, where an offset leads that
  /// overflowed 32 bits and became negative.
  static constexpr std::int64_t kFront =
      2 * elements_in_front(SlicePlacement::kLastBehind2To32) * kMostItemBytes + (128 << 20);
  static constexpr std::int64_t kSlices = kMostFarSlices * kFarStride * kMostItemBytes;

  /// Takes away what is accessible behind the first `bytes` bytes, whole pages.
  bool shrink(std::size_t unit, std::int64_t bytes);

  std::byte* first_ = nullptr;
  std::int64_t open_bytes_ = 0;           ///< in front of the first slice
  std::vector<std::int64_t> accessible_;  ///< accessible bytes from each multiple of kUnit on
};

/// How many sizes elements may have.
inline constexpr std::size_t kItemSizes = 5;

/// Lays out the operands with far slices for one call at a time. All others stay in the arena.
class FarOperands {
 public:
  /// Copies the slices of `near`, the operands of a case in the arena, to their places far apart.
  /// Returns the operands as the call must see them, valid until the next spread(). An operand for
  /// which the system gives no address space stays in the arena. If that is a table, returns no
  /// operands, since its indices mean nothing without what lies in front of it.
  std::span<const PlacedOperand> spread(const Case& c, std::span<const PlacedOperand> near);
  /// To be called after that call: copies changed slices back into the arena, notes overwritten
  /// bytes beside slices in `seen`, and translates the addresses and strides of its tensors to
  /// those in the arena.
  void bring_back(const Case& c, std::span<const PlacedOperand> near, Observation& seen);

  /// The operand whose address space holds the address, or -1.
  int operand_holding(const void* address) const;

 private:
  struct Apart {
    std::size_t operand;
    FarSlices slices;
    FarPlaces places;
    std::array<std::span<std::byte>, kMostFarSlices> windows;
  };
  FarSpace& space_of(const Case& c, std::size_t operand);
  bool copy_apart(const Case& c, const PlacedOperand& near, Apart& apart);
  void translate(std::span<const PlacedOperand> near, ReturnedTensor& tensor) const;

  std::array<FarSpace, kMaxOperands> spaces_;
  /// For tables, by item size (1, 2, 4, …): spaces for kLastBehind2To31, then
  /// those for kLastBehind2To32. Not shared,
  /// so that the addresses of a table that are accessible do not depend on the cases before it.
  std::array<std::array<FarSpace, kItemSizes>, 2> tables_;
  int table_ = -1;  ///< the operand that was the last table
  boost::container::static_vector<Apart, kMaxOperands> apart_;  ///< of the current call
  std::vector<PlacedOperand> placed_;
};

}  // namespace indexfuzz
