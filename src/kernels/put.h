#pragma once

#include "in_order.h"

namespace kernels {

/// to[indexed] = from[plain], for index_put without accumulate. One of several elements with the
/// same destination wins. Elements of 16 bytes must be put in order: each takes two stores, and
/// those of two threads may interleave.
struct PutArgs {
  Indexed indexed;
  char* to;
  const char* from;
  int item;
};

template <class Element>
struct Put {
  PutArgs args;

  HOST_DEVICE void operator()(std::int64_t i) const {
    const Place place = place_of(args.indexed, i);
    store(args.to + place.indexed, load<Element>(args.from + place.plain));
  }
};

template <class Run>
auto with_body(const PutArgs& args, const Run& run) {
  return with_bytes(args.item, [&](auto element) { return run(Put<decltype(element)>{args}); });
}

LaunchError launch(const PutArgs& args, std::int64_t count, Stream stream);
LaunchError launch_in_order(const PutArgs& args, Order order, Stream stream);

}  // namespace kernels
