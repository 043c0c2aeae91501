#pragma once
// Writes through index tensors in a fixed order: one thread makes all writes to one destination,
// in the row-major order of the elements that are written.

#include <type_traits>

#include "indexed.h"
#include "launch.h"

namespace kernels {

/// The elements sorted by destination, and within one destination by their number.
struct Order {
  const std::int64_t* destinations;
  const std::int64_t* elements;
  std::int64_t count;
};

/// Runs the body for all elements of one destination, if `i` is the first of them in the order.
template <class Body>
struct InOrder {
  std::remove_cvref_t<Body> body;
  Order order;

  HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t destination = order.destinations[i];
    if (i > 0 && order.destinations[i - 1] == destination) return;
    for (; i < order.count && order.destinations[i] == destination; ++i) body(order.elements[i]);
  }
};

/// Writes the destination of every element, and its number.
struct Destinations {
  Indexed indexed;
  std::int64_t* destinations;
  std::int64_t* elements;

  HOST_DEVICE void operator()(std::int64_t i) const {
    destinations[i] = place_of(indexed, i).indexed;
    elements[i] = i;
  }
};

/// Sorts the elements of `indexed` by destination, stably. The arrays of `order` come from
/// `scratch`.
LaunchError launch_sort(const Indexed& indexed, std::int64_t count, const Scratch& scratch,
                        Stream stream, Order& order);

}  // namespace kernels
