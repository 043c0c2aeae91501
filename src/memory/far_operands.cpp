#include "memory/far_operands.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "memory/arena.h"
#include "memory/region.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

/// How many bytes past a slice a vector load may read. Except behind the last slice these belong to
/// the operand's extent.
constexpr std::int64_t kVectorBytes = 64;

/// Where a slice lies in its window. A call may also touch the storage of an `out` in front of the
/// first slice and behind the last.
struct InWindow {
  std::int64_t before;                  ///< bytes from the window's start to the slice
  std::int64_t own_before, own_behind;  ///< bytes beside the slice that a call may touch
};
InWindow in_window(const PlacedOperand& near, const FarPlaces& places, std::int64_t slice) {
  return {near.gap_bytes + near.front_bytes, slice == 0 ? near.front_bytes : 0,
          slice + 1 == places.count ? near.back_bytes : 0};
}

constexpr std::int64_t kFillerBytes = std::int64_t{64} << 20;

/// A file of kFillerBytes in memory, mapped again and again wherever a table holds nothing that
/// matters, so that a kernel that writes all of a table takes no more memory; -1: the system has
/// none.
int filler() {
  static const int file = [] {
    const int made = memfd_create("indexfuzz-filler", MFD_CLOEXEC);
    return made >= 0 && ftruncate(made, kFillerBytes) == 0 ? made : -1;
  }();
  return file;
}

/// An operand that is the last slices of a table, which lie side by side.
std::optional<FarSlices> as_one_slice(const Operand& operand) {
  const std::int64_t extent = numel(operand.shape);
  return FarSlices{0, 1, extent, extent, kFarStride};
}

}  // namespace

void widen(const FarSlices& slices, Dtype dtype, PlacedOperand& placed) {
  const std::int64_t near = placed.view.extent;
  placed.view = spread(placed.view, slices);
  const std::int64_t more =
      (placed.view.extent - near) * static_cast<std::int64_t>(item_size(dtype));
  placed.extent_bytes += more;
  placed.storage_bytes += more;
}

void put_at_end_of_table(const Operand& operand, PlacedOperand& placed) {
  if (!are_last(operand.slices)) return;
  placed.slices_in_front = slices_in_front(operand);
  placed.bytes_in_front = placed.slices_in_front * placed.view.strides[0] *
                          static_cast<std::int64_t>(item_size(operand.dtype));
}

FarSpace::~FarSpace() {
  if (first_ != nullptr) munmap(first_ - kFront, static_cast<std::size_t>(kFront + kSlices));
}

bool FarSpace::reserve() {
  if (first_ != nullptr) return true;
  void* const mapping = mmap(nullptr, static_cast<std::size_t>(kFront + kSlices), PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return false;
  first_ = static_cast<std::byte*>(mapping) + kFront;
  accessible_.resize(static_cast<std::size_t>(kSlices / kUnit));
  return true;
}

bool FarSpace::holds(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  return first_ != nullptr && at >= first_ - kFront && at < first_ + kSlices;
}

bool FarSpace::shrink(std::size_t unit, std::int64_t bytes) {
  const std::int64_t more = accessible_[unit] - bytes;
  if (more <= 0) return true;
  std::byte* const begin = first_ + static_cast<std::int64_t>(unit) * kUnit;
  void* const rest = mmap(begin + bytes, static_cast<std::size_t>(more), PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (rest == MAP_FAILED) return false;
  accessible_[unit] = bytes;
  return true;
}

bool FarSpace::close_others(std::int64_t apart_bytes, std::int64_t slices) {
  bool all = true;
  for (std::size_t unit = 0; unit < accessible_.size(); ++unit) {
    const std::int64_t at = static_cast<std::int64_t>(unit) * kUnit;
    const bool is_slice = at % apart_bytes == 0 && at / apart_bytes < slices;
    if (!is_slice) all &= shrink(unit, 0);
  }
  return all;
}

std::span<std::byte> FarSpace::window(std::int64_t from_first, std::int64_t bytes,
                                      std::byte canary) {
  std::byte* const begin = first_ + from_first;
  std::int64_t& accessible = accessible_[static_cast<std::size_t>(from_first / kUnit)];
  const std::int64_t wanted = whole_pages(bytes);
  if (accessible < wanted) {
    if (mprotect(begin, static_cast<std::size_t>(wanted), PROT_READ | PROT_WRITE) != 0) return {};
    accessible = wanted;
  } else if (!shrink(static_cast<std::size_t>(from_first / kUnit), wanted)) {
    // A window is filled and compared as a whole: one that stayed as large as its largest slice
    // would make every later call slow.
    return {};
  }
  fill_canary(begin, accessible, canary);
  return {begin, static_cast<std::size_t>(accessible)};
}

bool FarSpace::open_front(std::int64_t bytes) {
  while (open_bytes_ < bytes) {
    void* const piece = mmap(first_ - open_bytes_ - kFillerBytes, kFillerBytes,
                             PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, filler(), 0);
    if (piece == MAP_FAILED) return false;
    open_bytes_ += kFillerBytes;
  }
  return true;
}

FarSpace& FarOperands::space_of(const Case& c, std::size_t k) {
  const Operand& operand = c.operands[k];
  if (!are_last(operand.slices)) return spaces_[k];
  const auto size = static_cast<std::size_t>(std::countr_zero(item_size(operand.dtype)));
  return tables_[operand.slices == SlicePlacement::kLastBehind2To32 ? 1 : 0][size];
}

/// False if the system gives no address space.
bool FarOperands::copy_apart(const Case& c, const PlacedOperand& near, Apart& apart) {
  const Operand& operand = c.operands[apart.operand];
  FarSpace& space = space_of(c, apart.operand);
  if (!space.reserve() || !space.close_others(apart.places.apart_bytes, apart.places.count))
    return false;
  if (are_last(operand.slices) &&
      !space.open_front(elements_in_front(operand.slices) *
                            static_cast<std::int64_t>(item_size(operand.dtype)) +
                        kMostMoreInFront))
    return false;
  for (std::int64_t slice = 0; slice < apart.places.count; ++slice) {
    const InWindow in = in_window(near, apart.places, slice);
    const bool is_last = slice + 1 == apart.places.count;
    const std::span<std::byte> window = space.window(
        slice * apart.places.apart_bytes,
        in.before + apart.places.slice_bytes + (is_last ? in.own_behind : kVectorBytes),
        near.region->canary());
    if (window.empty()) return false;
    apart.windows[static_cast<std::size_t>(slice)] = window;
    std::memcpy(window.data() + in.before, near.data + slice * apart.places.near_bytes,
                static_cast<std::size_t>(apart.places.slice_bytes));
  }
  return true;
}

std::span<const PlacedOperand> FarOperands::spread(const Case& c,
                                                   std::span<const PlacedOperand> near) {
  apart_.clear();
  for (std::size_t k = 0; k < near.size(); ++k) {
    const Operand& operand = c.operands[k];
    if (operand.slices == SlicePlacement::kByLayout || !operand.present) continue;
    const bool is_table = are_last(operand.slices);
    const auto slices = is_table ? as_one_slice(operand) : far_slices(operand);
    if (!slices) continue;
    Apart apart{k, *slices, in_bytes(*slices, operand.dtype), {}};
    if (is_table) table_ = static_cast<int>(k);
    PlacedOperand placed = near[k];
    put_at_end_of_table(operand, placed);
    if (!copy_apart(c, near[k], apart)) {
      if (!is_table) continue;
      apart_.clear();
      return {};
    }
    if (apart_.empty()) placed_.assign(near.begin(), near.end());
    apart_.push_back(apart);
    if (!is_table) widen(*slices, operand.dtype, placed);
    placed.data = apart.windows.front().data() + placed.gap_bytes + placed.front_bytes;
    placed.storage = placed.data - (near[k].data - near[k].storage);
    placed_[k] = placed;
  }
  return apart_.empty() ? near : std::span<const PlacedOperand>(placed_);
}

void FarOperands::bring_back(const Case& c, std::span<const PlacedOperand> near,
                             Observation& seen) {
  for (const Apart& apart : apart_) {
    const auto bytes = static_cast<std::size_t>(apart.places.slice_bytes);
    for (std::int64_t slice = 0; slice < apart.places.count; ++slice) {
      const InWindow in = in_window(near[apart.operand], apart.places, slice);
      const std::span<std::byte> window = apart.windows[static_cast<std::size_t>(slice)];
      std::byte* const there = window.data() + in.before;
      std::byte* const here = near[apart.operand].data + slice * apart.places.near_bytes;
      // An input may be read-only now: it is written only if the call changed it.
      if (std::memcmp(there, here, bytes) != 0) std::memcpy(here, there, bytes);
      const std::byte canary = near[apart.operand].region->canary();
      const bool intact =
          all_canary(window.data(), there - in.own_before, canary) &&
          all_canary(there + bytes + in.own_behind, window.data() + window.size(), canary);
      if (!intact && seen.canary_bytes == 0) {
        seen.canary_bytes = 1;
        seen.canary_note = "bytes around slices of " +
                           operand_name(c, static_cast<int>(apart.operand)) + " were overwritten";
      }
      // So that a later call that strays here finds no values.
      fill_canary(window.data(), static_cast<std::int64_t>(window.size()), canary);
    }
  }
  translate(near, seen.result);
  translate(near, seen.written);
  apart_.clear();
}

void FarOperands::translate(std::span<const PlacedOperand> near, ReturnedTensor& tensor) const {
  for (const Apart& apart : apart_) {
    if (tensor.data == nullptr || operand_holding(tensor.data) != static_cast<int>(apart.operand))
      continue;
    const std::byte* const here =
        near[apart.operand].data +
        near_offset(apart.places, tensor.data - placed_[apart.operand].data);
    tensor.storage = here - (tensor.data - tensor.storage);
    tensor.data = here;
    bring_together(apart.slices, tensor.strides);
    return;
  }
}

int FarOperands::operand_holding(const void* address) const {
  const auto holds = [&](const FarSpace& space) { return space.holds(address); };
  if (std::ranges::any_of(tables_[0], holds) || std::ranges::any_of(tables_[1], holds))
    return table_;
  const auto space = std::ranges::find_if(spaces_, holds);
  return space == spaces_.end() ? -1 : static_cast<int>(space - spaces_.begin());
}

}  // namespace indexfuzz
