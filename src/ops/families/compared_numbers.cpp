#include "ops/families/compared_numbers.h"

#include <numeric>
#include <vector>

#include "ops/numbers/cast.h"

namespace indexfuzz {
namespace {

template <typename T>
const T* widened(const OracleInput& input, int operand, Dtype wide) {
  static thread_local std::vector<T> numbers;
  const auto& [data, count] = input.operands[static_cast<std::size_t>(operand)];
  numbers.resize(static_cast<std::size_t>(count));
  convert(operand_at(input.c, operand).dtype, data, wide,
          reinterpret_cast<std::byte*>(numbers.data()), count);
  return numbers.data();
}

}  // namespace

const double* floating_numbers(const OracleInput& input, int operand) {
  return widened<double>(input, operand, Dtype::kDouble);
}
const std::int64_t* integer_numbers(const OracleInput& input, int operand) {
  return widened<std::int64_t>(input, operand, Dtype::kInt64);
}
const std::uint64_t* large_numbers(const OracleInput& input, int operand) {
  return widened<std::uint64_t>(input, operand, Dtype::kUInt64);
}

const std::int64_t* counted_up_to(std::int64_t count) {
  static thread_local std::vector<std::int64_t> places;
  if (places.size() < static_cast<std::size_t>(count)) {
    places.resize(static_cast<std::size_t>(count));
    std::iota(places.begin(), places.end(), 0);
  }
  return places.data();
}

}  // namespace indexfuzz
