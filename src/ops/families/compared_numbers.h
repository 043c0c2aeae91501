#pragma once
// Shared by operators that compare elements: their numbers, in a type that holds them exactly, and
// the order of these. Every NaN is greater than any number, and equal to every other NaN, as
// torch.sort, torch.topk and the maxima of PyTorch have it.

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "ops/definition/operator.h"

namespace indexfuzz {

/// The elements of an operand as double, int64 or uint64. Valid until the next call of the same
/// function on this thread.
const double* floating_numbers(const OracleInput& input, int operand);
const std::int64_t* integer_numbers(const OracleInput& input, int operand);
const std::uint64_t* large_numbers(const OracleInput& input, int operand);

/// Calls f(numbers) with all elements of an operand, which is not complex, in a type that holds
/// them exactly.
template <typename F>
void with_numbers(const OracleInput& input, int operand, F&& f) {
  const Dtype dtype = operand_at(input.c, operand).dtype;
  if (is_floating_or_complex(dtype)) return f(floating_numbers(input, operand));
  if (dtype == Dtype::kUInt64) return f(large_numbers(input, operand));
  f(integer_numbers(input, operand));
}

template <typename Number>
bool is_nan(Number number) {
  if constexpr (std::is_floating_point_v<Number>) return std::isnan(number);
  return false;
}

template <typename Number>
bool is_less(Number a, Number b) {
  return is_nan(b) ? !is_nan(a) : a < b;
}

/// 0, 1, 2, …, at least so many: what contributions to indices point to. Valid until the next call
/// on this thread with a larger count.
const std::int64_t* counted_up_to(std::int64_t count);

}  // namespace indexfuzz
