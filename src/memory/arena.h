#pragma once
// One case laid out in guarded memory, with the image of what each operand must hold after the
// call.

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "case/case.h"
#include "memory/far_operands.h"
#include "memory/region.h"
#include "ops/operator.h"

namespace indexfuzz {

/// An operand's view in memory, as a tensor is to be made of it.
struct PlacedOperand {
  Strided view;                  ///< strides and storage offset, in elements
  std::byte* storage = nullptr;  ///< element 0 of the storage; may lie inside a guard page
  std::int64_t storage_bytes = 0;
  std::byte* data = nullptr;      ///< the view's first element: storage + storage_offset × size
  std::int64_t extent_bytes = 0;  ///< from the first to the last byte of the view
  /// Bytes in front of the view and behind it that a call may touch without doing wrong: the rest
  /// of the storage of an `out` that it may resize, else none.
  std::int64_t front_bytes = 0;
  std::int64_t back_bytes = 0;
  /// Between the guard page in front of it and that, where it stands there (Guard::kLeft).
  std::int64_t gap_bytes = 0;
  Region* region = nullptr;
  const std::byte* logical = nullptr;  ///< the dense elements, in logical order
  std::int64_t count = 0;              ///< elements of the view
  bool is_guest = false;               ///< lies in the memory of another operand
  std::byte canary{};                  ///< what lies around it
  bool is_resized = false;             ///< by the call, which may then use all of its storage
};

/// What a call may write, where it is the operand that it writes: the view, or all of the storage.
inline std::span<std::byte> own_memory(const PlacedOperand& placed) {
  if (!placed.is_resized) return {placed.data, static_cast<std::size_t>(placed.extent_bytes)};
  const std::int64_t bytes = placed.front_bytes + placed.extent_bytes + placed.back_bytes;
  return {placed.data - placed.front_bytes, static_cast<std::size_t>(bytes)};
}

/// Owns guarded regions of several sizes and one image for each operand, mapped once and reused for
/// every case.
class Arena {
 public:
  Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Lays the case out: fills every operand, runs the oracle, writes its result into the image of
  /// the operand that the call writes. `c` is legal or has a rule applied (`apply_rule`); then
  /// there is no oracle result. The case is borrowed until the next prepare(); a temporary is kept.
  void prepare(const Case& c);
  void prepare(Case&& c) {
    kept_ = std::move(c);
    prepare(static_cast<const Case&>(kept_));
  }

  /// Undoes what a call did to the operands, so that another implementation finds the same case.
  void restore();

  /// Makes the operands that the call must not write read-only, or writable again: a kernel that
  /// writes one is caught even if it restores the bytes before it returns.
  void set_inputs_read_only(bool read_only);

  /// For one call on the host: the operands as it must see them, which are `operands()` but for
  /// those whose slices lie far apart; and after it, before anything else is asked of the arena.
  std::span<const PlacedOperand> lay_apart() { return far_.spread(*case_, operands()); }
  void bring_back(Observation& seen) { far_.bring_back(*case_, operands(), seen); }

  const Case& current() const { return *case_; }
  bool must_refuse() const { return must_refuse_; }
  std::span<const PlacedOperand> operands() const { return {placed_.data(), placed_.size()}; }
  /// The image of operand k, of extent_bytes, parallel to its data.
  std::byte* image(int operand) const { return images_[static_cast<std::size_t>(operand)]; }

  /// Of a legal case: what must come back, dense, in logical order.
  const ResultSpec& result() const { return result_; }
  const std::byte* expected() const { return expected_; }
  OracleInput oracle_input() const;

  /// The operand whose guard page, region or far slices hold the address, or -1.
  int operand_at(const void* address) const;
  /// Whether the address lies in an operand that is read-only now.
  bool is_read_only(const void* address) const;
  /// Checks every byte outside the current extents of all regions used since the last call.
  bool canaries_intact();
  /// The operand around which any byte of its region was overwritten, however far away; -1: none.
  int damaged_operand() const;
  /// Says that a call may have written anywhere: the next restore() or prepare() makes all canaries
  /// new.
  void mark_dirty() { dirty_ = true; }

 private:
  static constexpr std::size_t kRegionSizes = 13;
  /// What lies around the operand that the call writes, whichever it is and so wherever: it has
  /// regions of its own, as those of each other operand keep theirs.
  static constexpr std::byte kAroundWritten[] = {kSmallCanary, kLargeCanary};
  static constexpr std::size_t kRegionSets = kMaxOperands + std::size(kAroundWritten);

  void place(int operand);
  void write_operand(int operand);
  void wipe(const PlacedOperand& placed);
  std::byte* scratch(std::int64_t bytes);
  Region& region_for(std::size_t set, std::int64_t bytes);
  const PlacedOperand* operand_in(const Region& region) const;

  const Case* case_ = nullptr;
  Case kept_;
  bool must_refuse_ = false;
  ResultSpec result_;
  std::byte* expected_ = nullptr;
  /// By operand: a small region, used by nearly all cases, and larger ones; each mapped when first
  /// needed, since many a process runs one case.
  std::array<std::array<std::optional<Region>, kRegionSizes>, kRegionSets> regions_;
  std::array<std::uint16_t, kRegionSets>
      used_{};  ///< bit s: size s, since the last canaries_intact()
  std::array<std::byte*, kMaxOperands> images_{};
  boost::container::static_vector<PlacedOperand, kMaxOperands> placed_;
  boost::container::static_vector<LogicalOperand, kMaxOperands> logical_;
  /// The first one is enough for nearly all cases; others are mapped when first needed.
  std::vector<Region> scratch_;
  std::size_t scratch_at_ = 0;  ///< the one that is being filled
  std::int64_t scratch_used_ = 0;
  bool dirty_ = false;
  FarOperands far_;
};

/// Whether the call on the case in the arena need not resize `out`.
bool fits_out(const Arena& arena);

}  // namespace indexfuzz
