#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kOneSourceForAll,
};

void check_legal(Make make, const Tensor& self, const Tensor& index, const Tensor& source) {
  TORCH_CHECK(index.scalar_type() == at::kLong, "put: expected int64 for the index, got ",
              index.scalar_type());
  TORCH_CHECK(self.scalar_type() == source.scalar_type(), "put: self is ", self.scalar_type(),
              ", source ", source.scalar_type());
  const bool is_stretched = make == Make::kOneSourceForAll && source.numel() == 1;
  TORCH_CHECK(is_stretched || source.numel() == index.numel(), "put: ", index.numel(),
              " positions for ", source.numel(), " elements");
  TORCH_CHECK_INDEX(self.numel() > 0 || index.numel() == 0, "put: self is empty");
}

/// The position of the element with this row-major number.
Position place_of(int64_t number, const Position& sizes) {
  Position place(sizes.size());
  for (size_t d = sizes.size(); d-- > 0; number /= sizes[d]) place[d] = number % sizes[d];
  return place;
}

std::vector<int64_t> positions_in(const Tensor& self, const Tensor& index) {
  const Strided which = strided(index);
  const int64_t count = self.numel();
  std::vector<int64_t> positions;
  each_position(which.sizes, [&](const Position& position) {
    const int64_t number = read_index(which.at(position), which.item);
    TORCH_CHECK_INDEX(number >= -count && number < count, "put: ", number, " is out of range for ",
                      count, " elements");
    positions.push_back(number < 0 ? number + count : number);
  });
  return positions;
}

/// Reads all positions before it writes the first element, and takes every element from a copy, so
/// that operands may share memory.
template <Make kMake>
Tensor& put_in_place(Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  check_legal(kMake, self, index, source);
  TORCH_CHECK(!accumulate, "put: cannot accumulate");
  at::assert_no_internal_overlap(self);
  const std::vector<int64_t> positions = positions_in(self, index);
  const Tensor elements = contiguous_copy(source);
  const Strided to = strided(self);
  const Combine move = mover(to.item);
  const char* from = static_cast<const char*>(elements.const_data_ptr());
  const int64_t step = source.numel() == 1 ? 0 : to.item;
  for (size_t i = 0; i < positions.size(); ++i)
    move(to.at(place_of(positions[i], to.sizes)), from + static_cast<int64_t>(i) * step);
  return self;
}

constexpr const char* kInPlace =
    "(Tensor(a!) self, Tensor index, Tensor source, bool accumulate=False) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "put_one_source_for_all_", kInPlace, put_in_place<Make::kOneSourceForAll>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "put_copies_first_", kInPlace, put_in_place<Make::kReference>);
}

}  // namespace
}  // namespace planted
