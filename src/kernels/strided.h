#pragma once
// The byte offsets of elements in strided operands, on host and device. It needs no torch header,
// since the .cu files include it.

#include <cstdint>

// A macro, since nvcc and the host's compiler both compile the bodies.
#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

namespace kernels {

/// The most dimensions of a shape after join() (geometry.h).
inline constexpr int kMaxDims = 12;

/// The shape in which several operands are walked together. Element i is the i-th in row-major
/// order.
struct Shape {
  int rank = 0;
  std::int64_t sizes[kMaxDims] = {};
};

/// One operand's strides along the dimensions of a Shape; 0 where it is broadcast.
struct Strides {
  std::int64_t bytes[kMaxDims] = {};
};

template <int kOperands>
struct Offsets {
  std::int64_t bytes[kOperands] = {};
};

/// `dividend` is not negative, `divisor` is positive.
HOST_DEVICE inline std::int64_t quotient(std::int64_t dividend, std::int64_t divisor) {
  // A 64-bit division takes several times as long, on host and device.
  if (((dividend | divisor) >> 32) == 0)
    return static_cast<std::uint32_t>(dividend) / static_cast<std::uint32_t>(divisor);
  return dividend / divisor;
}

/// The byte offsets of element i in operands with these strides.
template <class... OperandStrides>
HOST_DEVICE Offsets<sizeof...(OperandStrides)> offsets(const Shape& shape, std::int64_t i,
                                                       const OperandStrides&... strides) {
  Offsets<sizeof...(OperandStrides)> sum;
  for (int d = shape.rank; d-- > 0;) {
    const std::int64_t rest = d == 0 ? 0 : quotient(i, shape.sizes[d]);
    const std::int64_t coordinate = i - rest * shape.sizes[d];
    int operand = 0;
    ((sum.bytes[operand++] += coordinate * strides.bytes[d]), ...);
    i = rest;
  }
  return sum;
}

}  // namespace kernels
