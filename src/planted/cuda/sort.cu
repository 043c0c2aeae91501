#include "sort.h"

#include <type_traits>

#include "device.cuh"

namespace planted_cuda {
namespace {

using Make = Sort;
using Call = SortCall;

constexpr int64_t kTile = 64;

/// A number that orders as the element does: -0 as 0, and NaN above all.
template <class Number>
__device__ uint64_t key_as(const char* element) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  const Number number = *reinterpret_cast<const Number*>(element);
  if constexpr (std::is_integral_v<Number>) {
    return static_cast<uint64_t>(static_cast<int64_t>(number)) ^ kSign;
  } else {
    using Real = std::conditional_t<std::is_same_v<Number, double>, double, float>;
    const auto real = static_cast<double>(static_cast<Real>(number));
    if (real != real) return ~uint64_t{0};
    const auto bits = static_cast<uint64_t>(__double_as_longlong(real + 0.0));
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  }
}

__device__ uint64_t key_of(const char* element, c10::ScalarType dtype) {
  switch (dtype) {
    case at::kBool:
    case at::kByte: return key_as<uint8_t>(element);
    case at::kChar: return key_as<int8_t>(element);
    case at::kShort: return key_as<int16_t>(element);
    case at::kInt: return key_as<int32_t>(element);
    case at::kLong: return key_as<int64_t>(element);
    case at::kHalf: return key_as<at::Half>(element);
    case at::kBFloat16: return key_as<at::BFloat16>(element);
    case at::kFloat: return key_as<float>(element);
    default: return key_as<double>(element);
  }
}

/// Each thread counts the elements of the slice that come before its own.
template <Make kMake>
__global__ void sort_elements(int64_t n, Call call) {
  const int64_t number = thread_number();
  if (number >= n) return;
  Position at = position_of(call.from, number);
  const char* const element = element_at(call.from, at);
  const uint64_t key = key_of(element, call.dtype);
  const int64_t place = at.at[call.dim], size = call.from.sizes[call.dim];
  int64_t begin = 0, end = size;
  if constexpr (kMake == Make::kTilesNotMerged) {
    // The defect: tiles are sorted, but never merged.
    begin = place / kTile * kTile;
    end = begin + kTile < size ? begin + kTile : size;
  }
  int64_t rank = begin;
  for (int64_t other = begin; other < end; ++other) {
    at.at[call.dim] = other;
    const uint64_t theirs = key_of(element_at(call.from, at), call.dtype);
    if (theirs == key) {
      // The defect is to leave this out: equal elements are all written to one place.
      if constexpr (kMake == Make::kLastOfEqualsFirst) {
        rank += other > place;
      } else if constexpr (kMake != Make::kEqualsInOnePlace) {
        rank += other < place;
      }
    } else {
      rank += (theirs < key) != call.descending;
    }
  }
  at.at[call.dim] = rank;
  move(element_at(call.values, at), element, call.values.item);
  *reinterpret_cast<int64_t*>(element_at(call.indices, at)) = place;
}

}  // namespace

void launch_sort(Make make, const Call& call, cudaStream_t stream) {
  const int64_t n = count_of(call.from);
  switch (make) {
    case Make::kReference: return launch(sort_elements<Make::kReference>, n, stream, call);
    case Make::kTilesNotMerged:
      return launch(sort_elements<Make::kTilesNotMerged>, n, stream, call);
    case Make::kEqualsInOnePlace:
      return launch(sort_elements<Make::kEqualsInOnePlace>, n, stream, call);
    case Make::kLastOfEqualsFirst:
      return launch(sort_elements<Make::kLastOfEqualsFirst>, n, stream, call);
  }
}

}  // namespace planted_cuda
