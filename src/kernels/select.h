#pragma once

#include "indexed.h"
#include "launch.h"

namespace kernels {

/// to[plain] = from[indexed], for index_select, gather, index and embedding.
struct SelectArgs {
  Indexed indexed;
  char* to;
  const char* from;
  int item;
};

template <class Element>
struct Select {
  SelectArgs args;

  HOST_DEVICE void operator()(std::int64_t i) const {
    const Place place = place_of(args.indexed, i);
    store(args.to + place.plain, load<Element>(args.from + place.indexed));
  }
};

template <class Run>
auto with_body(const SelectArgs& args, const Run& run) {
  return with_bytes(args.item, [&](auto element) { return run(Select<decltype(element)>{args}); });
}

LaunchError launch(const SelectArgs& args, std::int64_t count, Stream stream);

}  // namespace kernels
