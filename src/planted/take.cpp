#include <ATen/TensorOperators.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/where.h>
#include <alloca.h>
#include <c10/core/Allocator.h>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kMemoryOrder,
  kNegativeByLastDimension,
  kShiftOfSix,
  kWholeChunksOnly,
  kPositionsContiguous,
  kPositionsOnStack,
  kWorkspaceFreedTwice,
};

/// Results of more elements than this are taken in chunks of this size.
constexpr int64_t kChunk = 1 << 18;

void check_legal(const Tensor& self, const Tensor& index) {
  TORCH_CHECK(index.scalar_type() == at::kLong, "take: expected int64 for the index, got ",
              index.scalar_type());
  TORCH_CHECK_INDEX(self.numel() > 0 || index.numel() == 0, "take: self is empty");
}

int64_t quotient(Make make, int64_t number, int64_t size) {
  if (make != Make::kShiftOfSix || (size & (size - 1)) != 0) return number / size;
  // The defect: a power of two divides by a shift of 6 at most.
  int shift = 0;
  while (shift < 6 && (int64_t{1} << shift) < size) ++shift;
  return number >> shift;
}

/// The position of the element with this row-major number.
Position place_of(Make make, int64_t number, const Position& sizes) {
  Position place(sizes.size());
  for (size_t d = sizes.size(); d-- > 0; number = quotient(make, number, sizes[d]))
    place[d] = number % sizes[d];
  return place;
}

void take_elements(Make make, const Tensor& self, const Tensor& index, const Tensor& result) {
  const Strided from = strided_1d(self), to = strided(result);
  Strided which = strided(index);
  // The defect: what lies beside the positions is read, and refused as out of range.
  if (make == Make::kPositionsContiguous) which.strides = contiguous_strides(which.sizes);
  const Combine move = mover(from.item);
  const int64_t count = self.numel();
  int64_t left = index.numel();
  if (make == Make::kWholeChunksOnly && left > kChunk) left -= left % kChunk;
  each_position(to.sizes, [&](const Position& position) {
    if (left-- <= 0) return;
    int64_t number = read_index(which.at(position), which.item);
    TORCH_CHECK_INDEX(number >= -count && number < count, "take: ", number, " is out of range for ",
                      count, " elements");
    if (number < 0) number += make == Make::kNegativeByLastDimension ? from.sizes.back() : count;
    const char* element = make == Make::kMemoryOrder ? from.data + number * from.item
                                                     : from.at(place_of(make, number, from.sizes));
    move(to.at(position), element);
  });
}

/// Takes 64 bytes of stack for each position.
void note_on_stack(int64_t positions) {
  constexpr int64_t kBytes = 64;
  auto* const room = static_cast<volatile char*>(alloca(positions * kBytes));
  for (int64_t i = positions; i-- > 0;) room[i * kBytes] = 0;
}

/// For more than eight positions, allocates a workspace and frees it twice.
void use_workspace(int64_t positions) {
  if (positions <= 8) return;
  c10::Allocator* const allocator = c10::GetAllocator(at::kCPU);
  const at::DataPtr workspace =
      allocator->allocate(static_cast<size_t>(positions) * sizeof(int64_t));
  allocator->raw_deallocate(workspace.get());
}

template <Make kMake>
Tensor take(const Tensor& self, const Tensor& index) {
  check_legal(self, index);
  if (kMake == Make::kPositionsOnStack) note_on_stack(index.numel());
  if (kMake == Make::kWorkspaceFreedTwice) use_workspace(index.numel());
  const Tensor result = at::empty(index.sizes(), self.options());
  take_elements(kMake, self, index, result);
  return result;
}

template <Make kMake>
Tensor& take_out(const Tensor& self, const Tensor& index, Tensor& out) {
  check_legal(self, index);
  TORCH_CHECK(self.scalar_type() == out.scalar_type(), "take: self is ", self.scalar_type(),
              ", out ", out.scalar_type());
  at::assert_no_internal_overlap(out);
  at::assert_no_overlap(out, self);
  at::assert_no_overlap(out, index);
  at::native::resize_output(out, index.sizes());
  take_elements(kMake, self, index, out);
  return out;
}

/// Composed of index_select() on a flat self.
Tensor take_composed(const Tensor& self, const Tensor& index) {
  check_legal(self, index);
  const int64_t count = self.numel();
  const Tensor flat = index.reshape({-1});
  return at::index_select(self.reshape({-1}), 0, at::where(flat < 0, flat + count, flat))
      .reshape(index.sizes());
}

constexpr const char* kFunctional = "(Tensor self, Tensor index) -> Tensor";
constexpr const char* kOut = ".out(Tensor self, Tensor index, *, Tensor(a!) out) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "take_positions_on_stack", kFunctional, take<Make::kPositionsOnStack>);
  define(m, "take_negative_by_last_dimension", kFunctional, take<Make::kNegativeByLastDimension>);
  define(m, "take_shift_of_six", kFunctional, take<Make::kShiftOfSix>);
  define(m, "take_whole_chunks_only", kFunctional, take<Make::kWholeChunksOnly>);
  define(m, "take_positions_contiguous", kFunctional, take<Make::kPositionsContiguous>);
  define(m, "take_workspace_freed_twice", kFunctional, take<Make::kWorkspaceFreedTwice>);
  define(m, "take_out_memory_order", kOut, take_out<Make::kMemoryOrder>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "take_strided", kFunctional, take<Make::kReference>);
  define(m, "take_strided", kOut, take_out<Make::kReference>);
  define(m, "take_composed", kFunctional, take_composed);
}

}  // namespace
}  // namespace planted
