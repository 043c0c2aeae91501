#pragma once

#include "in_order.h"
#include "number.h"

namespace kernels {

/// to[indexed] += from[plain] * alpha, for scatter_add, index_add and index_put with accumulate.
struct AddArgs {
  Indexed indexed;
  char* to;
  const char* from;
  Number number;
  bool scaled;     ///< else alpha is 1
  char alpha[16];  ///< one element
};

#ifdef __CUDA_ARCH__
/// `to` += value where other threads may write the same element: atomic for each component.
template <class Element>
__device__ void add_atomically(char* to, Element value) {
  if constexpr (kIsComplex<Element>) {
    add_atomically(to, value.real);
    add_atomically(to + sizeof value.real, value.imaginary);
  } else if constexpr (std::is_same_v<Element, bool>) {
    if (value) store(to, true);
  } else if constexpr (std::is_same_v<Element, std::uint64_t>) {
    atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
  } else if constexpr (std::is_arithmetic_v<Element> && sizeof value >= 4) {
    atomicAdd(reinterpret_cast<Element*>(to), value);
  } else {
    // Exchanges the whole word around the element and keeps the word's other bytes.
    const auto within = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(to) % 4);
    auto* const word = reinterpret_cast<unsigned*>(to - within);
    const unsigned shift = within * 8;
    const unsigned mask = ((1u << (sizeof value * 8)) - 1) << shift;
    unsigned seen = *word, expected;
    do {
      expected = seen;
      Element element;
      const auto bits = static_cast<std::uint16_t>((expected & mask) >> shift);
      memcpy(&element, &bits, sizeof element);
      element = sum(element, value);
      std::uint16_t changed = 0;
      memcpy(&changed, &element, sizeof element);
      seen = atomicCAS(word, expected, (expected & ~mask) | (unsigned{changed} << shift));
    } while (seen != expected);
  }
}
#endif

/// `kAlone`: no other thread writes where this one does.
template <class Element, bool kAlone>
struct Add {
  AddArgs args;

  HOST_DEVICE void operator()(std::int64_t i) const {
    const Place place = place_of(args.indexed, i);
    Element value = load<Element>(args.from + place.plain);
    if (args.scaled) {
      Element alpha;
      memcpy(&alpha, args.alpha, sizeof alpha);
      value = product(value, alpha);
    }
    char* const to = args.to + place.indexed;
#ifdef __CUDA_ARCH__
    if constexpr (!kAlone) {
      add_atomically(to, value);
      return;
    }
#endif
    store(to, sum(load<Element>(to), value));
  }
};

/// The body if no two threads add to one element: on the host, or in order on the device.
template <class Run>
auto with_body(const AddArgs& args, const Run& run) {
  return with_number(args.number,
                     [&](auto element) { return run(Add<decltype(element), true>{args}); });
}

/// Adds in any order, by atomic operations.
LaunchError launch(const AddArgs& args, std::int64_t count, Stream stream);
/// Adds in a fixed order.
LaunchError launch_in_order(const AddArgs& args, Order order, Stream stream);

}  // namespace kernels
