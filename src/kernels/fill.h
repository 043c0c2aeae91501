#pragma once

#include "element.h"
#include "launch.h"

namespace kernels {

/// to = mask ? value : from, for masked_fill. In place, elements whose mask is not set are not
/// written.
struct FillArgs {
  Shape shape;
  Strides to_strides, from_strides, mask_strides;
  char* to;
  const char* from;  ///< null in place
  const char* mask;  ///< bool
  char value[16];
  int item;
};

template <class Element>
struct Fill {
  FillArgs args;

  HOST_DEVICE void operator()(std::int64_t i) const {
    const Offsets<3> at =
        offsets(args.shape, i, args.to_strides, args.from_strides, args.mask_strides);
    char* const to = args.to + at.bytes[0];
    if (load<std::uint8_t>(args.mask + at.bytes[2]) != 0) {
      Element value;
      memcpy(&value, args.value, sizeof value);
      store(to, value);
    } else if (args.from != nullptr) {
      store(to, load<Element>(args.from + at.bytes[1]));
    }
  }
};

template <class Run>
auto with_body(const FillArgs& args, const Run& run) {
  return with_bytes(args.item, [&](auto element) { return run(Fill<decltype(element)>{args}); });
}

LaunchError launch(const FillArgs& args, std::int64_t count, Stream stream);

}  // namespace kernels
