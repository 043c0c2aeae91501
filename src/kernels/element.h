#pragma once
// Elements that are only moved, by their size.

#include <cstdint>
#include <cstring>

#include "strided.h"

namespace kernels {

/// 16 bytes with the alignment of 8.
struct Pair {
  std::uint64_t low, high;
};

/// `address` must be aligned for an Element.
template <class Element>
HOST_DEVICE Element load(const char* address) {
#ifdef __CUDA_ARCH__
  return *reinterpret_cast<const Element*>(address);
#else
  Element element;
  std::memcpy(&element, address, sizeof element);
  return element;
#endif
}

template <class Element>
HOST_DEVICE void store(char* address, Element element) {
#ifdef __CUDA_ARCH__
  *reinterpret_cast<Element*>(address) = element;
#else
  std::memcpy(address, &element, sizeof element);
#endif
}

/// Calls run(element) with an element of the type that has `bytes` bytes: 1, 2, 4, 8 or 16.
template <class Run>
auto with_bytes(int bytes, const Run& run) {
  switch (bytes) {
    case 1: return run(std::uint8_t{});
    case 2: return run(std::uint16_t{});
    case 4: return run(std::uint32_t{});
    case 8: return run(std::uint64_t{});
    default: return run(Pair{});
  }
}

}  // namespace kernels
