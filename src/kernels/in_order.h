#pragma once
// Writes through index tensors in a fixed order: what meets in one element is written by one
// thread, in row-major order of what it comes from.

#include <type_traits>

#include "indexed.h"
#include "launch.h"

namespace kernels {

/// Elements by where they are written, and of those that meet there by their number.
struct Order {
  const std::int64_t* destinations;
  const std::int64_t* elements;
  std::int64_t count;
};

/// Runs the body for what is written to one place, if `i` is the first of it.
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

/// Sorts the elements of `indexed` by their destinations, stably, in memory that `scratch` gives.
LaunchError launch_sort(const Indexed& indexed, std::int64_t count, const Scratch& scratch,
                        Stream stream, Order& order);

}  // namespace kernels
