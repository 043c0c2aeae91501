#pragma once
// The bodies that read or write the elements that a mask selects.

#include "element.h"
#include "launch.h"
#include "require.h"

namespace kernels {

/// to[i] = from[numbers[i]], for masked_select.
struct PickArgs {
  const std::int64_t* numbers;
  Shape shape;
  Strides from_strides;
  const char* from;
  char* to;
  std::int64_t to_step;
  int item;
};

template <class Element>
struct Pick {
  PickArgs args;

  HOST_DEVICE void operator()(std::int64_t i) const {
    const Offsets<1> from = offsets(args.shape, args.numbers[i], args.from_strides);
    store(args.to + i * args.to_step, load<Element>(args.from + from.bytes[0]));
  }
};

template <class Run>
auto with_body(const PickArgs& args, const Run& run) {
  return with_bytes(args.item, [&](auto element) { return run(Pick<decltype(element)>{args}); });
}

/// to[i] = source[before[i]] where the mask is set, for masked_scatter.
struct ScatterArgs {
  Shape shape;
  Strides to_strides, mask_strides;
  char* to;
  const char* mask;            ///< bool
  const std::int64_t* before;  ///< for each element, how many mask elements before it are set
  Shape source_shape;
  Strides source_strides;
  const char* source;
  std::int64_t source_count;
  int item;
};

template <class Element>
struct Scatter {
  ScatterArgs args;

  HOST_DEVICE void operator()(std::int64_t i) const {
    const Offsets<2> at = offsets(args.shape, i, args.to_strides, args.mask_strides);
    if (load<std::uint8_t>(args.mask + at.bytes[1]) == 0) return;
    const std::int64_t number = args.before[i];
    require_in_range(number < args.source_count);
    const Offsets<1> source = offsets(args.source_shape, number, args.source_strides);
    store(args.to + at.bytes[0], load<Element>(args.source + source.bytes[0]));
  }
};

template <class Run>
auto with_body(const ScatterArgs& args, const Run& run) {
  return with_bytes(args.item, [&](auto element) { return run(Scatter<decltype(element)>{args}); });
}

/// Writes element i of nonzero's result: coordinate i % rank of element numbers[i / rank].
struct Coordinates {
  const std::int64_t* numbers;
  Shape shape;                   ///< with every dimension of self
  std::int64_t below[kMaxDims];  ///< how far a step along each dimension moves the number
  char* to;
  std::int64_t row_step, column_step;

  HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t row = quotient(i, shape.rank);
    const std::int64_t d = i - row * shape.rank;
    const std::int64_t steps = quotient(numbers[row], below[d]);
    const std::int64_t coordinate = steps - quotient(steps, shape.sizes[d]) * shape.sizes[d];
    store(to + row * row_step + d * column_step, coordinate);
  }
};

template <class Run>
auto with_body(const Coordinates& body, const Run& run) {
  return run(body);
}

LaunchError launch(const PickArgs& args, std::int64_t count, Stream stream);
LaunchError launch(const ScatterArgs& args, std::int64_t count, Stream stream);
LaunchError launch(const Coordinates& body, std::int64_t count, Stream stream);

}  // namespace kernels
