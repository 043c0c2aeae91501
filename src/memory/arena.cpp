#include "memory/arena.h"

#include <algorithm>
#include <cstring>

#include "case/strided_copy.h"
#include "memory/placement.h"
#include "ops/fills/table.h"
#include "ops/fills/write_fill.h"

namespace indexfuzz {
namespace {

// Most operands fit into the smallest region; each further size is twice the one before. All
// canaries of a region are compared, so no region should be much larger than what lies in it.
constexpr std::int64_t kSmallestRegion = 8 << 10;
constexpr std::int64_t kLargestRegion = kMaxStorageBytes + 2 * kSmallestRegion;
// For the logical elements and the images of all operands, and the result.
constexpr std::int64_t kScratchBytes = (2 * kMaxOperands + 2) * kUsualElements * 16;

/// `placed`: what lies in the region now, or null.
bool intact(const Region& region, const PlacedOperand* placed) {
  if (placed == nullptr) return all_canary(region.begin(), region.end(), region.canary());
  const std::span<std::byte> own = own_memory(*placed);
  return all_canary(region.begin(), own.data(), region.canary()) &&
         all_canary(own.data() + own.size(), region.end(), region.canary());
}

}  // namespace

Arena::Arena() {
  scratch_.emplace_back(kScratchBytes);
}

std::byte* Arena::scratch(std::int64_t bytes) {
  while (scratch_used_ + bytes > scratch_[scratch_at_].bytes()) {
    scratch_used_ = 0;
    if (++scratch_at_ == scratch_.size()) scratch_.emplace_back(std::max(bytes, kScratchBytes));
  }
  std::byte* const start = scratch_[scratch_at_].begin() + scratch_used_;
  scratch_used_ += (bytes + 63) / 64 * 64;
  return start;
}

Region& Arena::region_for(std::size_t set, std::int64_t bytes) {
  static_assert(kSmallestRegion << (kRegionSizes - 2) < kLargestRegion);
  std::size_t fitting = 0;
  while (fitting + 1 < kRegionSizes && bytes + 2 * kMargin > kSmallestRegion << fitting) ++fitting;
  std::optional<Region>& region = regions_[set][fitting];
  if (!region) {
    region.emplace(fitting + 1 < kRegionSizes ? kSmallestRegion << fitting : kLargestRegion,
                   set < kMaxOperands ? kCanary : kAroundWritten[set - kMaxOperands]);
    fill_canary(region->begin(), region->bytes(), region->canary());
  }
  used_[set] |= static_cast<std::uint16_t>(1u << fitting);
  return *region;
}

void Arena::place(int k) {
  const Operand& operand = operand_at(*case_, k);
  const auto size = static_cast<std::int64_t>(item_size(operand.dtype));
  PlacedOperand& placed = placed_[static_cast<std::size_t>(k)];
  strided(operand.shape, operand.layout, placed.view);
  const bool whole_storage = whole_storage_accessible(*case_, k);
  if (operand.guard == Guard::kRight) {
    const std::int64_t more = elements_before_guard(placed.view, operand.dtype, whole_storage);
    placed.view.storage_offset += more;
    placed.view.storage_elements += more;
  }
  placed.count = numel(operand.shape);
  placed.extent_bytes = placed.view.extent * size;
  placed.storage_bytes = placed.view.storage_elements * size;
  placed.front_bytes = placed.back_bytes = placed.gap_bytes = 0;
  if (whole_storage) {
    placed.front_bytes = std::min(placed.view.storage_offset * size, placed.storage_bytes);
    placed.back_bytes =
        std::max<std::int64_t>(placed.storage_bytes - placed.front_bytes - placed.extent_bytes, 0);
  }
  const std::int64_t bytes = placed.front_bytes + placed.extent_bytes + placed.back_bytes;
  placed.is_guest = operand.shares_memory_with >= 0;
  placed.canary = canary_around(*case_, placed.is_guest ? operand.shares_memory_with : k);
  const auto* const around_written = std::ranges::find(kAroundWritten, placed.canary);
  const bool has_own_set = placed.is_guest || around_written == std::end(kAroundWritten);
  const auto set = has_own_set ? k : kMaxOperands + (around_written - std::begin(kAroundWritten));
  placed.region = &region_for(static_cast<std::size_t>(set), bytes);
  placed.is_resized = operand.own_shape;
  if (placed.is_guest) {
    placed.front_bytes = placed.back_bytes = 0;
    placed.data = placed_[static_cast<std::size_t>(operand.shares_memory_with)].storage +
                  placed.view.storage_offset * size;
  } else if (operand.guard == Guard::kRight) {
    placed.data = placed.region->end() - bytes + placed.front_bytes;
  } else {
    // A storage that is accessible as a whole begins at the guard page.
    if (placed.front_bytes == 0) placed.gap_bytes = bytes_behind_guard(placed.view, operand.dtype);
    placed.data = placed.region->begin() + placed.gap_bytes + placed.front_bytes;
  }
  placed.storage = placed.data - placed.view.storage_offset * size;
}

void Arena::write_operand(int k) {
  const Operand& operand = operand_at(*case_, k);
  const PlacedOperand& placed = placed_[static_cast<std::size_t>(k)];
  if (operand.shares_memory_with >= 0) return;  // its elements are its host's
  scatter_elements(operand.shape, placed.view.strides, item_size(operand.dtype), placed.logical,
                   placed.data);
}

void Arena::wipe(const PlacedOperand& placed) {
  if (!dirty_) {
    const std::span<std::byte> own = own_memory(placed);
    fill_canary(own.data(), static_cast<std::int64_t>(own.size()), placed.canary);
    return;
  }
  fill_canary(placed.region->begin(), placed.region->bytes(), placed.region->canary());
}

void Arena::prepare(const Case& c) {
  for (const PlacedOperand& placed : placed_) wipe(placed);
  dirty_ = false;
  case_ = &c;
  must_refuse_ = c.breaks != 0;
  scratch_at_ = 0;
  scratch_used_ = 0;
  placed_.resize(c.operands.size());
  logical_.resize(c.operands.size());
  for (int k = 0; k < static_cast<int>(c.operands.size()); ++k) {
    if (operand_at(c, k).present) {
      place(k);
      std::byte* const dense = write_elements(k);
      write_operand(k);
      make_image(k, dense);
    } else {
      leave_out(k);
    }
  }
  expected_ = nullptr;
  result_ = {};
  if (!must_refuse()) expect_result();
}

/// An absent operand has a place, but nothing lies there.
void Arena::leave_out(int k) {
  const auto at = static_cast<std::size_t>(k);
  placed_[at] = PlacedOperand{};
  logical_[at] = {};
  images_[at] = nullptr;
  placed_[at].region = &region_for(at, 0);
  placed_[at].data = placed_[at].storage = placed_[at].region->begin();
}

/// Writes the dense elements of operand k. Returns those that a call sees.
std::byte* Arena::write_elements(int k) {
  const Case& c = *case_;
  PlacedOperand& placed = placed_[static_cast<std::size_t>(k)];
  const std::int64_t bytes =
      placed.count * static_cast<std::int64_t>(item_size(operand_at(c, k).dtype));
  std::byte* const dense = scratch(bytes);
  write_fill(c, k, dense);
  logical_[static_cast<std::size_t>(k)] = {dense, placed.count};
  placed.logical = dense;
  if (raised_by(c, k) == 0) return dense;
  std::byte* const raised = scratch(bytes);
  std::memcpy(raised, dense, static_cast<std::size_t>(bytes));
  raise_indices(c, k, raised);
  placed.logical = raised;
  return raised;
}

void Arena::make_image(int k, std::byte* dense) {
  const auto at = static_cast<std::size_t>(k);
  const Operand& operand = operand_at(*case_, k);
  const PlacedOperand& placed = placed_[at];
  const auto size = static_cast<std::int64_t>(item_size(operand.dtype));
  // The logical elements of a dense operand that the call does not write serve as its image.
  if (k != written_operand(*case_) && placed.extent_bytes == placed.count * size &&
      is_row_major(operand.shape, placed.view.strides)) {
    images_[at] = dense;
    return;
  }
  images_[at] = scratch(placed.extent_bytes);
  std::memcpy(images_[at], placed.data, static_cast<std::size_t>(placed.extent_bytes));
}

/// Runs the oracle; writes its result into the image of the operand that the call writes.
void Arena::expect_result() {
  const Case& c = *case_;
  const OperatorInfo& row = operator_of(c);
  result_ = row.result(c);
  expected_ = scratch(numel(result_.shape) * static_cast<std::int64_t>(item_size(result_.dtype)));
  row.oracle(oracle_input(), expected_);
  const int written = written_operand(c);
  // The call resizes an `out` of another shape; the result is then judged where it comes to lie.
  if (written < 0 || operand_at(c, written).own_shape) return;
  scatter_elements(result_.shape, placed_[static_cast<std::size_t>(written)].view.strides,
                   item_size(result_.dtype), expected_, images_[static_cast<std::size_t>(written)]);
}

void Arena::clear_surroundings() {
  for (int k = 0; k < static_cast<int>(placed_.size()); ++k) {
    const PlacedOperand& placed = placed_[static_cast<std::size_t>(k)];
    if (placed.is_guest || placed.count == 0) continue;
    fill_canary(placed.region->begin(), placed.region->bytes(), std::byte{0});
    write_operand(k);
  }
  mark_dirty();
}

void Arena::restore() {
  // The written operand may lie in another one's memory, whose elements it has.
  const int written = written_operand(*case_), host = written_memory(*case_);
  const auto is_restored = [&, all = dirty_](int k) { return all || k == written || k == host; };
  for (int k = 0; k < static_cast<int>(placed_.size()); ++k) {
    if (is_restored(k)) wipe(placed_[static_cast<std::size_t>(k)]);
  }
  dirty_ = false;
  for (int k = 0; k < static_cast<int>(placed_.size()); ++k) {
    if (is_restored(k) && operand_at(*case_, k).present) write_operand(k);
  }
}

void Arena::set_inputs_read_only(bool read_only) {
  const int written = written_memory(*case_);
  for (int k = 0; k < static_cast<int>(placed_.size()); ++k) {
    const PlacedOperand& placed = placed_[static_cast<std::size_t>(k)];
    if (k != written && placed.count > 0) placed.region->set_read_only(read_only);
  }
}

OracleInput Arena::oracle_input() const {
  return {*case_, {logical_.data(), logical_.size()}};
}

int Arena::operand_holding(const void* address) const {
  for (std::size_t k = 0; k < placed_.size(); ++k) {
    if (placed_[k].region != nullptr && placed_[k].region->holds(address))
      return static_cast<int>(k);
  }
  return far_.operand_holding(address);
}

bool Arena::is_read_only(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  return std::ranges::any_of(placed_, [&](const PlacedOperand& placed) {
    const Region* const region = placed.region;
    return region != nullptr && region->is_read_only() && at >= region->begin() &&
           at < region->end();
  });
}

const PlacedOperand* Arena::operand_in(const Region& region) const {
  const auto in = std::ranges::find_if(placed_, [&](const PlacedOperand& placed) {
    return placed.region == &region && !placed.is_guest;
  });
  return in == placed_.end() ? nullptr : &*in;
}

bool Arena::canaries_intact() {
  bool all = true;
  for (std::size_t k = 0; k < regions_.size(); ++k) {
    for (std::size_t size = 0; size < regions_[k].size(); ++size) {
      const std::optional<Region>& region = regions_[k][size];
      if (!region || (size != 0 && ((used_[k] >> size) & 1) == 0)) continue;
      all &= intact(*region, operand_in(*region));
    }
    used_[k] = 0;
  }
  return all;
}

int Arena::damaged_operand() const {
  for (std::size_t k = 0; k < placed_.size(); ++k) {
    if (!placed_[k].is_guest && !intact(*placed_[k].region, &placed_[k]))
      return static_cast<int>(k);
  }
  return -1;
}

bool fits_out(const Arena& arena) {
  const Case& c = arena.current();
  const auto written = static_cast<std::size_t>(written_operand(c));
  return c.variant != Variant::kOut || (!arena.must_refuse() && !c.operands[written].own_shape);
}

}  // namespace indexfuzz
