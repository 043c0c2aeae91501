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
#include "ops/definition/operator.h"

namespace indexfuzz {

/// An operand's view in memory, as needed to make a tensor of it.
struct PlacedOperand {
  Strided view;                  ///< strides and storage offset, in elements
  std::byte* storage = nullptr;  ///< element 0 of the storage; may lie inside a guard page
  std::int64_t storage_bytes = 0;
  std::byte* data = nullptr;      ///< the view's first element: storage + storage_offset × size
  std::int64_t extent_bytes = 0;  ///< from the first to the last byte of the view
  /// Bytes in front of the view and behind it that a call may touch: the rest of the storage of an
  /// `out` that the call may resize. Else 0.
  std::int64_t front_bytes = 0;
  std::int64_t back_bytes = 0;
  /// Bytes between the guard page in front and the view with its front_bytes; 0 for Guard::kRight.
  std::int64_t gap_bytes = 0;
  Region* region = nullptr;
  /// The dense elements as a call sees them, in logical order.
  const std::byte* logical = nullptr;
  std::int64_t count = 0;   ///< elements of the view
  bool is_guest = false;    ///< lies in the memory of another operand
  std::byte canary{};       ///< the value of the bytes around it
  bool is_resized = false;  ///< the call resizes it and may use all of its storage
  /// During a call, for an operand that is the last slices of a table (ops/fills/table.h): how many
  /// slices lie in front of the view, and the bytes from the table's first element to `data`. Else
  /// 0.
  std::int64_t slices_in_front = 0;
  std::int64_t bytes_in_front = 0;
};

/// The memory that a call may write if this is the operand that it writes: the view or, if the call
/// resizes it, the whole storage.
inline std::span<std::byte> own_memory(const PlacedOperand& placed) {
  if (!placed.is_resized) return {placed.data, static_cast<std::size_t>(placed.extent_bytes)};
  const std::int64_t bytes = placed.front_bytes + placed.extent_bytes + placed.back_bytes;
  return {placed.data - placed.front_bytes, static_cast<std::size_t>(bytes)};
}

/// The first element that a call sees: of a table, that of its first slice.
inline std::byte* called_data(const PlacedOperand& placed) {
  return placed.data - placed.bytes_in_front;
}

/// Owns guarded regions of several sizes and one image for each operand, which are mapped once and
/// reused for every case.
class Arena {
 public:
  Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Lays the case out: fills every operand, runs the oracle, and writes its result into the image
  /// of the operand that the call writes. `c` is legal, or has a rule applied (apply_rule()); in
  /// the latter case the oracle does not run. Borrows the case until the next prepare(); the
  /// overload for a temporary keeps it.
  void prepare(const Case& c);
  void prepare(Case&& c) {
    kept_ = std::move(c);
    prepare(static_cast<const Case&>(kept_));
  }

  /// Puts zeros in place of the canaries around the operands and in their gaps: a call that reads
  /// what is not its own then finds harmless numbers. The canaries return with the next prepare()
  /// or restore(), one of which must come before they are checked.
  void clear_surroundings();

  /// Undoes what a call did to the operands, so that another implementation finds the same case.
  void restore();

  /// Makes the operands that the call must not write read-only, or writable again. A write to a
  /// read-only one faults, which exposes a kernel that restores the bytes before it returns.
  void set_inputs_read_only(bool read_only);

  /// The operands as one call on the host must see them: operands(), but with far slices apart, and
  /// tables with all that lies in front of them. Empty if there is no address space for a table.
  /// After the call, bring_back() must come before any other use of the arena.
  std::span<const PlacedOperand> lay_apart() { return far_.spread(*case_, operands()); }
  void bring_back(Observation& seen) { far_.bring_back(*case_, operands(), seen); }

  const Case& current() const { return *case_; }
  bool must_refuse() const { return must_refuse_; }
  std::span<const PlacedOperand> operands() const { return {placed_.data(), placed_.size()}; }
  /// The image of operand k, of extent_bytes, parallel to its data.
  std::byte* image(int operand) const { return images_[static_cast<std::size_t>(operand)]; }

  /// What must come back: expected() is dense, in logical order. For an illegal case result() is
  /// ResultSpec{} and expected() null.
  const ResultSpec& result() const { return result_; }
  const std::byte* expected() const { return expected_; }
  OracleInput oracle_input() const;

  /// The operand whose guard page, region or far slices hold the address, or -1.
  int operand_holding(const void* address) const;
  /// Whether the address lies in an operand that is read-only now.
  bool is_read_only(const void* address) const;
  /// Checks every byte outside the current extents of all regions used since the last call.
  bool canaries_intact();
  /// An operand around which a byte of its region was overwritten, however far away; -1: none.
  int damaged_operand() const;
  /// Notes that a call may have written anywhere: the next restore() or prepare() rewrites all
  /// canaries.
  void mark_dirty() { dirty_ = true; }

 private:
  static constexpr std::size_t kRegionSizes = 13;
  /// The canaries around the written operand. Each has a set of regions of its own: the regions of
  /// operands hold kCanary, whichever operand is written.
  static constexpr std::byte kAroundWritten[] = {kSmallCanary, kLargeCanary};
  static constexpr std::size_t kRegionSets = kMaxOperands + std::size(kAroundWritten);

  void leave_out(int operand);
  void place(int operand);
  std::byte* write_elements(int operand);
  void write_operand(int operand);
  void make_image(int operand, std::byte* dense);
  void expect_result();
  void wipe(const PlacedOperand& placed);
  std::byte* scratch(std::int64_t bytes);
  Region& region_for(std::size_t set, std::int64_t bytes);
  const PlacedOperand* operand_in(const Region& region) const;

  const Case* case_ = nullptr;
  Case kept_;
  bool must_refuse_ = false;
  ResultSpec result_;
  std::byte* expected_ = nullptr;
  /// One set per operand, then one per kAroundWritten. A set has a small region, enough for nearly
  /// all cases, and larger ones; each is mapped when first needed, since some processes run a
  /// single case.
  std::array<std::array<std::optional<Region>, kRegionSizes>, kRegionSets> regions_;
  std::array<std::uint16_t, kRegionSets>
      used_{};  ///< bit s: size s was used since the last canaries_intact()
  std::array<std::byte*, kMaxOperands> images_{};
  boost::container::static_vector<PlacedOperand, kMaxOperands> placed_;
  boost::container::static_vector<LogicalOperand, kMaxOperands> logical_;
  /// The first region is enough for nearly all cases; others are mapped when first needed.
  std::vector<Region> scratch_;
  std::size_t scratch_at_ = 0;  ///< the region being filled
  std::int64_t scratch_used_ = 0;
  bool dirty_ = false;
  FarOperands far_;
};

/// Whether a call on the arena's case is known to leave the shape of `out` as it is: true without
/// an `out`, false if the case is illegal.
bool fits_out(const Arena& arena);

}  // namespace indexfuzz
