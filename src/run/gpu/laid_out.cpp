#include "run/gpu/laid_out.h"

#include <cstring>
#include <vector>

namespace indexfuzz {
namespace {

/// Finds the elements at which several different values meet; contributions are noted in the order
/// in which the oracle writes.
class Rivals {
 public:
  Rivals(std::int64_t elements, std::size_t item_size)
      : size_(item_size), first_(scratch().first), rival_(scratch().rival) {
    first_.assign(static_cast<std::size_t>(elements), nullptr);
    rival_.assign(static_cast<std::size_t>(elements), 0);
  }
  void note(const Contribution& contribution) {
    const auto at = static_cast<std::size_t>(contribution.element);
    if (first_[at] == nullptr) {
      first_[at] = contribution.value;
    } else if (std::memcmp(first_[at], contribution.value, size_) != 0) {
      rival_[at] = 1;
      any_ = true;
    }
  }
  bool any() const { return any_; }
  bool meet_at(std::int64_t element) const {
    return rival_[static_cast<std::size_t>(element)] != 0;
  }
  std::size_t item_size() const { return size_; }

 private:
  struct Scratch {
    std::vector<const std::byte*> first;
    std::vector<std::uint8_t> rival;
  };
  static Scratch& scratch() {
    static thread_local Scratch scratch;
    return scratch;
  }

  std::size_t size_;
  std::vector<const std::byte*>& first_;  ///< by element: the value that is written there first
  std::vector<std::uint8_t>& rival_;      ///< 1: a different value follows
  bool any_ = false;
};

struct Collected {
  const Rivals& rivals;
  std::vector<Contributor>& contributors;
};

void collect(void* context, Contribution contribution) {
  auto& [rivals, contributors] = *static_cast<Collected*>(context);
  if (!rivals.meet_at(contribution.element)) return;
  Contributor& added = contributors.emplace_back();
  added.element = contribution.element;
  std::memcpy(added.value, contribution.value, rivals.item_size());
}

/// False if there is no room.
bool copy_contributors(const Arena& arena, Staging& staging, LaidOut& laid) {
  const Case& c = arena.current();
  const OperatorInfo& row = operator_of(c);
  if (arena.must_refuse() || row.agreement(c) != Agreement::kAnyContributor) return true;
  Rivals rivals(numel(arena.result().shape), item_size(arena.result().dtype));
  const OracleInput input = arena.oracle_input();
  row.contributions(
      input,
      [](void* context, Contribution contribution) {
        static_cast<Rivals*>(context)->note(contribution);
      },
      &rivals);
  if (!rivals.any()) return true;
  static thread_local std::vector<Contributor> contributors;
  contributors.clear();
  Collected collected{rivals, contributors};
  row.contributions(input, collect, &collected);
  const std::byte* const copy = staging.append(
      contributors.data(), static_cast<std::int64_t>(contributors.size() * sizeof(Contributor)));
  if (copy == nullptr) return false;
  laid.contributors = {reinterpret_cast<const Contributor*>(copy), contributors.size()};
  return true;
}

/// False if there is no room.
bool copy_operand(const Arena& arena, int operand, Staging& staging, LaidOut& laid) {
  const auto k = static_cast<std::size_t>(operand);
  const Case& c = arena.current();
  PlacedOperand& placed = laid.operands[k];
  placed.region = nullptr;
  if (!c.operands[k].present) return true;
  if (spec_of(c, operand).role == Role::kScalar) {
    std::memcpy(laid.numbers[k].data(), placed.logical, item_size(c.operands[k].dtype));
    placed.logical = laid.numbers[k].data();
    return true;
  }
  placed.logical = nullptr;
  const std::int64_t before_data = placed.data - placed.storage;
  if (c.operands[k].shares_memory_with >= 0) {
    placed.data =
        laid.operands[static_cast<std::size_t>(c.operands[k].shares_memory_with)].storage +
        before_data;
  } else {
    const std::span<const std::byte> own = own_memory(placed);
    std::byte* const copy = staging.append(own.data(), static_cast<std::int64_t>(own.size()));
    if (copy == nullptr) return false;
    placed.data = copy + (placed.data - own.data());
    laid.images[k] = copy;
    // Only the written operand differs afterwards; nothing of a resized one is compared.
    if (operand == written_operand(c) && !placed.is_resized)
      laid.images[k] = staging.append(arena.image(operand), placed.extent_bytes);
    if (laid.images[k] == nullptr) return false;
  }
  placed.storage = placed.data - before_data;
  return true;
}

}  // namespace

bool copy_out(const Arena& arena, Staging& staging, LaidOut& laid) {
  const std::int64_t used_before = staging.used();
  laid.c = &arena.current();
  laid.must_refuse = arena.must_refuse();
  laid.out_fits = fits_out(arena);
  laid.operands.assign(arena.operands().begin(), arena.operands().end());
  laid.images.fill(nullptr);
  laid.result = arena.result();
  laid.expected = nullptr;
  laid.contributors = {};
  bool room = true;
  for (int k = 0; room && k < static_cast<int>(laid.operands.size()); ++k)
    room = copy_operand(arena, k, staging, laid);
  if (room && !laid.must_refuse) {
    if (written_operand(*laid.c) < 0 || !laid.out_fits) {
      laid.expected = staging.append(
          arena.expected(),
          numel(laid.result.shape) * static_cast<std::int64_t>(item_size(laid.result.dtype)));
      room = laid.expected != nullptr;
    }
    room = room && copy_contributors(arena, staging, laid);
  }
  if (!room) staging.shrink_to(used_before);
  return room;
}

}  // namespace indexfuzz
