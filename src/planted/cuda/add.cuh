#pragma once

#include <c10/core/ScalarType.h>
#include <ATen/cuda/Atomic.cuh>

#include <type_traits>

namespace planted_cuda {

template <bool kAtomic, class Element>
__device__ void add_as(char* to, const char* from) {
  auto* sum = reinterpret_cast<Element*>(to);
  const Element value = *reinterpret_cast<const Element*>(from);
  if constexpr (kAtomic) {
    gpuAtomicAddNoReturn(sum, value);
  } else if constexpr (std::is_same_v<Element, bool>) {
    *sum = *sum || value;
  } else if constexpr (requires { value.imag_; }) {
    sum->real_ += value.real_;
    sum->imag_ += value.imag_;
  } else {
    *sum = static_cast<Element>(*sum + value);
  }
}

/// to += from, for one element of a dtype that check_dtype() accepts.
template <bool kAtomic>
__device__ void add_element(char* to, const char* from, c10::ScalarType dtype) {
  switch (dtype) {
    case at::kBool: return add_as<kAtomic, bool>(to, from);
    case at::kByte: return add_as<kAtomic, uint8_t>(to, from);
    case at::kChar: return add_as<kAtomic, int8_t>(to, from);
    case at::kShort: return add_as<kAtomic, int16_t>(to, from);
    case at::kInt: return add_as<kAtomic, int32_t>(to, from);
    case at::kLong: return add_as<kAtomic, int64_t>(to, from);
    case at::kHalf: return add_as<kAtomic, at::Half>(to, from);
    case at::kBFloat16: return add_as<kAtomic, at::BFloat16>(to, from);
    case at::kFloat: return add_as<kAtomic, float>(to, from);
    case at::kDouble: return add_as<kAtomic, double>(to, from);
    case at::kComplexFloat: return add_as<kAtomic, c10::complex<float>>(to, from);
    case at::kComplexDouble: return add_as<kAtomic, c10::complex<double>>(to, from);
    default: return;
  }
}

}  // namespace planted_cuda
