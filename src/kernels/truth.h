#pragma once
// Which elements of an operand are not zero.

#include "element.h"
#include "launch.h"

namespace kernels {

/// Tells whether an element is set, i.e. not zero. NaN and denormal numbers are set, -0.0 is not; a
/// complex number is set if one component is.
struct Truth {
  Shape shape;
  Strides strides;
  const char* data;
  int bytes;       ///< of a component
  int components;  ///< 1 or 2
  bool has_sign;   ///< a sign bit alone is -0.0
  bool is_bool;    ///< elements are 0 or 1

  HOST_DEVICE bool operator()(std::int64_t i) const {
    const char* const element = data + offsets(shape, i, strides).bytes[0];
    bool set = false;
    for (int c = 0; c < components; ++c) set = set || component_is_set(element + c * bytes);
    return set;
  }

  HOST_DEVICE bool component_is_set(const char* address) const {
    switch (bytes) {
      case 1: return is_set(load<std::uint8_t>(address));
      case 2: return is_set(load<std::uint16_t>(address));
      case 4: return is_set(load<std::uint32_t>(address));
      default: return is_set(load<std::uint64_t>(address));
    }
  }

  template <class Bits>
  HOST_DEVICE bool is_set(Bits bits) const {
    constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
    return static_cast<Bits>(has_sign ? bits & static_cast<Bits>(~kSign) : bits) != 0;
  }
};

// These run on the device, with CUB. `count`: the number of the shape's elements, at least 1.

/// Sets `flags` to one byte per element, 1 if it is set. They are a dense bool mask's own elements,
/// else memory from `scratch`.
LaunchError launch_flags(const Truth& truth, std::int64_t count, const Scratch& scratch,
                         Stream stream, const std::uint8_t*& flags);
/// Writes how many elements are set.
LaunchError launch_count(const std::uint8_t* flags, std::int64_t count, std::int64_t* set,
                         const Scratch& scratch, Stream stream);
/// Writes the numbers of the set elements, in ascending order.
LaunchError launch_find(const std::uint8_t* flags, std::int64_t count, std::int64_t* numbers,
                        const Scratch& scratch, Stream stream);
/// Writes for each element how many before it are set.
LaunchError launch_count_before(const std::uint8_t* flags, std::int64_t count, std::int64_t* before,
                                const Scratch& scratch, Stream stream);

}  // namespace kernels
