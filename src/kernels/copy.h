#pragma once

#include "element.h"
#include "launch.h"

namespace kernels {

/// to = from, element by element.
struct CopyArgs {
  Shape shape;
  Strides to_strides, from_strides;
  char* to;
  const char* from;
  int item;
};

template <class Element>
struct Copy {
  CopyArgs args;

  HOST_DEVICE void operator()(std::int64_t i) const {
    const Offsets<2> at = offsets(args.shape, i, args.to_strides, args.from_strides);
    store(args.to + at.bytes[0], load<Element>(args.from + at.bytes[1]));
  }
};

template <class Run>
auto with_body(const CopyArgs& args, const Run& run) {
  return with_bytes(args.item, [&](auto element) { return run(Copy<decltype(element)>{args}); });
}

LaunchError launch(const CopyArgs& args, std::int64_t count, Stream stream);

}  // namespace kernels
