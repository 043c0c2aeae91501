#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/nonzero.h>

#include "masked.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kMaskCountedAlone,
  kBlockCountInByte,
  kMemoryOrder,
};

constexpr int64_t kBlock = 256;

/// How many elements each block of 256 selects.
template <class Count>
std::vector<int64_t> count_by_block(const Position& shape, const Strided& mask) {
  std::vector<Count> counts;
  int64_t element = 0;
  each_position(shape, [&](const Position& position) {
    if (element++ % kBlock == 0) counts.push_back(0);
    if (is_set(mask, position)) ++counts.back();
  });
  return std::vector<int64_t>(counts.begin(), counts.end());
}

/// Each block of 256 writes after the elements that the blocks before it select.
template <class Allocate>
void select_by_block(Make make, const Position& shape, const Strided& from, const Strided& mask,
                     Allocate&& allocate) {
  const std::vector<int64_t> counts = make == Make::kBlockCountInByte
                                          ? count_by_block<uint8_t>(shape, mask)
                                          : count_by_block<int64_t>(shape, mask);
  int64_t total = 0;
  std::vector<int64_t> begins;
  for (const int64_t count : counts) {
    begins.push_back(total);
    total += count;
  }
  if (make == Make::kMaskCountedAlone && !counts.empty()) {
    total = 0;
    each_position(mask.sizes, [&](const Position& position) { total += *mask.at(position) != 0; });
  }
  const Strided to = allocate(total);
  const Combine move = mover(from.item);
  int64_t element = 0, next = 0;
  each_position(shape, [&](const Position& position) {
    if (element % kBlock == 0) next = begins[element / kBlock];
    ++element;
    if (!is_set(mask, position)) return;
    if (next < total) move(to.at({next}), from.broadcast_at(position, position.size()));
    ++next;
  });
}

/// Makes the view one dimension in memory order.
void flatten(Strided& view, int64_t count) {
  view.sizes = {count};
  view.strides = {1};
}

template <Make kMake>
Tensor masked_select(const Tensor& self, const Tensor& mask) {
  Position shape = masked_shape(self, mask);
  Strided from = strided(self), truths = strided(mask);
  // The defect: operands without gaps and with equal strides are walked in memory order.
  if (kMake == Make::kMemoryOrder && from.sizes == truths.sizes && from.strides == truths.strides &&
      self.is_non_overlapping_and_dense()) {
    flatten(from, self.numel());
    flatten(truths, self.numel());
    shape = from.sizes;
  }
  Tensor result;
  select_by_block(kMake, shape, from, truths, [&](int64_t total) {
    result = at::empty({total}, self.options());
    return strided(result);
  });
  return result;
}

template <Make kMake>
Tensor& masked_select_out(const Tensor& self, const Tensor& mask, Tensor& out) {
  const Position shape = masked_shape(self, mask);
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "masked_select: self is ",
              self.scalar_type(), ", out ", out.scalar_type());
  // As in ATen, an out that overlaps itself is refused even if it would be resized.
  at::assert_no_internal_overlap(out);
  at::assert_no_overlap(out, self);
  at::assert_no_overlap(out, mask);
  select_by_block(kMake, shape, strided(self), strided(mask), [&](int64_t total) {
    at::native::resize_output(out, {total});
    return strided(out);
  });
  return out;
}

/// Eight flags at a time index a table of 256 entries that lists the set ones. The defect: the last
/// two places of one entry are swapped.
Tensor masked_select_by_table(const Tensor& self, const Tensor& mask) {
  constexpr size_t kFlags = 8;
  constexpr unsigned kWrongEntry = 0b10100110;
  const Strided from = strided(self), truths = strided(mask);
  std::vector<Position> chosen;
  unsigned entry = 0;
  size_t flag = 0;
  each_position(masked_shape(self, mask), [&](const Position& position) {
    if (is_set(truths, position)) {
      entry |= 1u << flag;
      chosen.push_back(position);
    }
    if (++flag < kFlags) return;
    if (entry == kWrongEntry) std::swap(chosen.end()[-1], chosen.end()[-2]);
    entry = 0;
    flag = 0;
  });
  const Tensor result = at::empty({static_cast<int64_t>(chosen.size())}, self.options());
  const Strided to = strided(result);
  const Combine move = mover(from.item);
  int64_t next = 0;
  for (const Position& position : chosen)
    move(to.at({next++}), from.broadcast_at(position, position.size()));
  return result;
}

/// Composed of nonzero() and index_select().
Tensor masked_select_composed(const Tensor& self, const Tensor& mask) {
  masked_shape(self, mask);
  const std::vector<Tensor> together = at::broadcast_tensors({self, mask});
  const Tensor rows = at::nonzero(together[1].reshape({-1})).reshape({-1});
  return at::index_select(together[0].reshape({-1}), 0, rows);
}

constexpr const char* kFunctional = "(Tensor self, Tensor mask) -> Tensor";
constexpr const char* kOut = ".out(Tensor self, Tensor mask, *, Tensor(a!) out) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "masked_select_mask_counted_alone", kFunctional,
         masked_select<Make::kMaskCountedAlone>);
  define(m, "masked_select_block_count_in_byte", kFunctional,
         masked_select<Make::kBlockCountInByte>);
  define(m, "masked_select_by_table", kFunctional, masked_select_by_table);
  define(m, "masked_select_memory_order", kFunctional, masked_select<Make::kMemoryOrder>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "masked_select_strided", kFunctional, masked_select<Make::kReference>);
  define(m, "masked_select_strided", kOut, masked_select_out<Make::kReference>);
  define(m, "masked_select_composed", kFunctional, masked_select_composed);
}

}  // namespace
}  // namespace planted
