#pragma once
// Sums and products of elements as ATen computes them: integers wrap; of bool they are or and and.

#include <c10/util/BFloat16.h>
#include <c10/util/Float8_e4m3fn.h>
#include <c10/util/Float8_e5m2.h>
#include <c10/util/Half.h>

#include <cstdint>
#include <type_traits>

#include "element.h"

namespace kernels {

template <class Component>
struct Complex {
  Component real, imaginary;
};

template <class Element>
inline constexpr bool kIsComplex = false;
template <class Component>
inline constexpr bool kIsComplex<Complex<Component>> = true;

/// One kind for each size of integer: signed and unsigned sums and products have the same bits.
enum class Number {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kHalf,
  kBFloat16,
  kFloat,
  kDouble,
  kFloat8E4M3FN,
  kFloat8E5M2,
  kComplexHalf,
  kComplexFloat,
  kComplexDouble,
};

/// Calls run(element) with an element of the type that stands for `number`.
template <class Run>
auto with_number(Number number, const Run& run) {
  switch (number) {
    case Number::kBool: return run(bool{});
    case Number::kInt8: return run(std::uint8_t{});
    case Number::kInt16: return run(std::uint16_t{});
    case Number::kInt32: return run(std::uint32_t{});
    case Number::kInt64: return run(std::uint64_t{});
    case Number::kHalf: return run(c10::Half{});
    case Number::kBFloat16: return run(c10::BFloat16{});
    case Number::kFloat: return run(float{});
    case Number::kDouble: return run(double{});
    case Number::kFloat8E4M3FN: return run(c10::Float8_e4m3fn{});
    case Number::kFloat8E5M2: return run(c10::Float8_e5m2{});
    case Number::kComplexHalf: return run(Complex<c10::Half>{});
    case Number::kComplexFloat: return run(Complex<float>{});
    case Number::kComplexDouble: break;
  }
  return run(Complex<double>{});
}

template <class Element>
HOST_DEVICE Element sum(Element a, Element b) {
  if constexpr (kIsComplex<Element>) {
    return {sum(a.real, b.real), sum(a.imaginary, b.imaginary)};
  } else if constexpr (std::is_same_v<Element, bool>) {
    return a || b;
  } else if constexpr (std::is_arithmetic_v<Element>) {
    return static_cast<Element>(a + b);
  } else {
    return static_cast<Element>(static_cast<float>(a) + static_cast<float>(b));
  }
}

template <class Element>
HOST_DEVICE Element product(Element a, Element b) {
  if constexpr (kIsComplex<Element>) {
    const auto minus = [](auto value) { return static_cast<decltype(value)>(-value); };
    return {sum(product(a.real, b.real), minus(product(a.imaginary, b.imaginary))),
            sum(product(a.real, b.imaginary), product(a.imaginary, b.real))};
  } else if constexpr (std::is_same_v<Element, bool>) {
    return a && b;
  } else if constexpr (std::is_integral_v<Element>) {
    // In 64 bits: uint16_t would promote to int, whose overflow is undefined.
    return static_cast<Element>(std::uint64_t{a} * std::uint64_t{b});
  } else if constexpr (std::is_arithmetic_v<Element>) {
    return a * b;
  } else {
    return static_cast<Element>(static_cast<float>(a) * static_cast<float>(b));
  }
}

}  // namespace kernels
