#pragma once
// A call imitated by hand: the case lies in an arena, a test writes what a kernel would have
// written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "../written_case.h"
#include "case/strided_copy.h"
#include "judge/judge.h"
#include "ops/definition/illegal_rule.h"

namespace indexfuzz {

class JudgedCall {
 public:
  explicit JudgedCall(std::string_view body) : JudgedCall(written(body)) {}
  /// A case that breaks a rule is laid out with it applied.
  explicit JudgedCall(Case c) {
    if (!apply_rule(c)) throw std::runtime_error("the rule does not apply");
    arena.prepare(std::move(c));
    if (arena.must_refuse()) {
      refuse(Outcome::kRefused, "refused");
    } else {
      return_what_is_right();
    }
  }

  /// The result's own storage: as many elements as it has, and one more.
  void return_what_is_right() {
    observation.outcome = Outcome::kReturned;
    observation.result_count = 1;
    const int k = written_operand(arena.current());
    if (k < 0) return own_storage(observation.result);
    const PlacedOperand& placed = operand(k);
    const Operand& target = operand_at(arena.current(), k);
    if (target.own_shape) {
      own_storage(observation.written);
    } else {
      scatter_elements(target.shape, placed.view.strides, item_size(target.dtype), arena.expected(),
                       placed.data);
      observation.written = as_placed(k);
    }
    observation.result = observation.written;
    observation.result.same_as_operand = k;
  }
  void refuse(Outcome outcome, std::string_view message) {
    observation.outcome = outcome;
    observation.message = message;
    observation.result_count = 0;
    const int k = written_operand(arena.current());
    if (k < 0) return;
    observation.written = as_placed(k);
  }

  Verdict verdict(Standing standing = {}) { return judge(arena, observation, standing); }
  const PlacedOperand& operand(int k) const {
    return arena.operands()[static_cast<std::size_t>(k)];
  }

  Arena arena;
  Observation observation;
  std::vector<std::byte> storage;  ///< of a fresh or resized result

 private:
  ReturnedTensor as_placed(int k) const {
    const Operand& target = operand_at(arena.current(), k);
    const PlacedOperand& placed = operand(k);
    return {.defined = true,
            .dtype = target.dtype,
            .shape = target.shape,
            .strides = placed.view.strides,
            .rank = rank(target.shape),
            .data = placed.data,
            .storage = placed.storage,
            .storage_bytes = placed.storage_bytes,
            .same_as_operand = k};
  }
  void own_storage(ReturnedTensor& tensor) {
    const ResultSpec& result = arena.result();
    const std::size_t size = item_size(result.dtype);
    const auto bytes = static_cast<std::size_t>(numel(result.shape)) * size;
    storage.assign(bytes + size, kSmallCanary);
    std::memcpy(storage.data(), arena.expected(), bytes);
    tensor = {.defined = true,
              .dtype = result.dtype,
              .shape = result.shape,
              .strides = row_major_strides(result.shape),
              .rank = rank(result.shape),
              .data = storage.data(),
              .storage = storage.data(),
              .storage_bytes = static_cast<std::int64_t>(storage.size())};
  }
};

inline void expect_agreed(const Verdict& verdict) {
  EXPECT_EQ(verdict.status, Status::kAgreed)
      << name(verdict.kind) << ": " << verdict.message.data();
}
inline void expect_finding(const Verdict& verdict, Kind kind, int operand,
                           std::string_view message = "") {
  EXPECT_EQ(verdict.status, Status::kFinding);
  EXPECT_EQ(name(verdict.kind), name(kind));
  EXPECT_EQ(verdict.operand, operand);
  EXPECT_THAT(verdict.message.data(), ::testing::HasSubstr(std::string(message)));
}

}  // namespace indexfuzz
