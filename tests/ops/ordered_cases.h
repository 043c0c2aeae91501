#pragma once
// Calls of sort, topk, cummax and cummin on numbers that are written down, not filled in.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "../written_case.h"

namespace indexfuzz {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                       kInfinity = std::numeric_limits<float>::infinity();
/// The bits of zeros in float32.
inline constexpr std::uint32_t kPlus = 0, kMinus = 0x80000000u;

/// A functional call of one operand: `call` is the operator's overload and attributes.
inline std::string call_on(std::string_view op, std::string_view overload,
                           std::string_view attributes, std::string_view self) {
  return std::string(op) + "." + std::string(overload) + " functional " + std::string(attributes) +
         "\nself " + std::string(self) + "\n";
}

/// The oracle's result as numbers of type T, for a self of these numbers.
template <typename T, typename Number>
std::vector<T> result_of(const std::string& call, const std::vector<Number>& self) {
  return bits_of<T>(oracle_of(call, {bytes_of(self)}));
}

/// For each element of the result what is passed as right, in the order in which it is passed.
template <typename T, typename Number>
std::vector<std::vector<T>> choices_of(const std::string& call, const std::vector<Number>& self) {
  const Case c = written(call);
  const std::vector<std::byte> bytes = bytes_of(self);
  const LogicalOperand operand{bytes.data(), static_cast<std::int64_t>(self.size())};
  const OperatorInfo& row = operator_of(c);
  std::vector<std::vector<T>> choices(static_cast<std::size_t>(numel(row.result(c).shape)));
  row.contributions(
      {c, std::span(&operand, 1)},
      [](void* context, Contribution contribution) {
        auto& all = *static_cast<std::vector<std::vector<T>>*>(context);
        T value;
        std::memcpy(&value, contribution.value, sizeof value);
        all[static_cast<std::size_t>(contribution.element)].push_back(value);
      },
      &choices);
  return choices;
}

inline Agreement agreement_of(const std::string& call) {
  const Case c = written(call);
  return operator_of(c).agreement(c);
}

}  // namespace indexfuzz
