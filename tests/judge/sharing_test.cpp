// The judge on calls that take operands which share memory. Each test writes by hand what a kernel
// would have left.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "judge/sharing.h"
#include "judged_call.h"
#include "ops/definition/illegal_rule.h"

namespace indexfuzz {
namespace {

constexpr Standing kCustom{.is_custom = true}, kAten{}, kStrict{.is_custom = true, .strict = true};

/// out lies in self's memory, which holds 1 to 4; right is (3, 2).
constexpr std::string_view kOutInSelf =
    "gather out breaks=out_is_self\nself float32 (4)\nindex int64 (2) fill=descending\n"
    "out float32 (2)\n";

/// A call that returned, and left these elements in operand k's memory.
template <typename T>
Verdict accepted(std::string_view body, int k, const std::vector<T>& left, Standing standing) {
  JudgedCall call(body);
  call.observation.outcome = Outcome::kReturned;
  call.observation.result_count = 1;
  call.observation.result = call.observation.written;
  call.observation.result.same_as_operand = written_operand(call.arena.current());
  std::memcpy(call.operand(k).data, left.data(), left.size() * sizeof(T));
  return call.verdict(standing);
}

/// What operand k of the case holds before the call.
template <typename T>
std::vector<T> held(std::string_view body, int k) {
  const JudgedCall call(body);
  const auto* const data = reinterpret_cast<const T*>(call.operand(k).data);
  return {data, data + call.operand(k).count};
}

TEST(JudgeSharing, WhatIsRightAllTheSameIsTakenOfACustomKernel) {
  const std::vector<float> self = held<float>(kOutInSelf, 0);
  const std::vector<float> right{self[3], self[2], self[2], self[3]};
  EXPECT_EQ(accepted(kOutInSelf, 0, right, kCustom).status, Status::kAgreed);
  EXPECT_EQ(accepted(kOutInSelf, 0, right, kAten).status, Status::kFinding);
  EXPECT_EQ(accepted(kOutInSelf, 0, right, kStrict).status, Status::kAgreed)
      << "strict is about legal calls that are refused";
}

TEST(JudgeSharing, AWrongElementAndAnotherByteOfTheSharedMemory) {
  const std::vector<float> self = held<float>(kOutInSelf, 0);
  const std::vector<float> wrong{self[3], self[3], self[2], self[3]};
  EXPECT_EQ(accepted(kOutInSelf, 0, wrong, kCustom).status, Status::kFinding);
  const std::vector<float> beyond{self[3], self[2], self[2], 0};
  EXPECT_EQ(accepted(kOutInSelf, 0, beyond, kCustom).status, Status::kFinding);
  const std::vector<float> outside{self[3], self[2], self[2], self[3], 0};
  EXPECT_EQ(accepted(kOutInSelf, 0, outside, kCustom).kind, Kind::kMemory);
}

TEST(JudgeSharing, OutLiesAtTheEndOfSelf) {
  constexpr std::string_view kAtTheEnd =
      "gather out breaks=out_is_self\nself float32 (4)\nindex int64 (2) fill=descending\n"
      "out float32 (2) offset=1\n";
  const JudgedCall call(kAtTheEnd);
  EXPECT_EQ(call.operand(2).data, call.operand(0).data + 2 * sizeof(float));
  const std::vector<float> self = held<float>(kAtTheEnd, 0);
  const std::vector<float> right{self[0], self[1], self[3], self[2]};
  EXPECT_EQ(accepted(kAtTheEnd, 0, right, kCustom).status, Status::kAgreed);
  EXPECT_EQ(accepted(kAtTheEnd, 0, right, kAten).status, Status::kFinding);
  const std::vector<float> second_read_late{self[0], self[1], self[3], self[3]};
  EXPECT_EQ(accepted(kAtTheEnd, 0, second_read_late, kCustom).status, Status::kFinding);
  const std::vector<float> before{0, self[1], self[3], self[2]};
  EXPECT_EQ(accepted(kAtTheEnd, 0, before, kCustom).status, Status::kFinding);
}

TEST(JudgeSharing, ASourceAtTheEndOfSelfHoldsItsLastElements) {
  constexpr std::string_view kAtTheEnd =
      "index_copy in-place breaks=source_is_written\nself int32 (3)\nindex int64 (2) "
      "fill=descending\nsource int32 (2) offset=1\n";
  const std::vector<std::int32_t> self = held<std::int32_t>(kAtTheEnd, 0);
  const std::vector<std::int32_t> right{self[0], self[2], self[1]};
  EXPECT_EQ(accepted(kAtTheEnd, 0, right, kCustom).status, Status::kAgreed);
  const std::vector<std::int32_t> read_late{self[0], self[1], self[1]};
  EXPECT_EQ(accepted(kAtTheEnd, 0, read_late, kCustom).status, Status::kFinding);
}

TEST(JudgeSharing, AMeanOfIntegersIsNotTellingWhereTheirSumWraps) {
  const auto of = [](std::string_view dtype) {
    return fmt::format(
        "index_reduce in-place reduce=mean breaks=source_is_written\nself {0} (3) fill=sums1\n"
        "index int64 (3) fill=first\nsource {0} (3) fill=sums1\n",
        dtype);
  };
  const std::string narrow = of("uint8"), wide = of("int32");
  std::vector<std::uint8_t> wrapped = held<std::uint8_t>(narrow, 0);
  ASSERT_GT(wrapped[0] + wrapped[1] + wrapped[2], 255);
  wrapped[0] = static_cast<std::uint8_t>(wrapped[0] + wrapped[1] + wrapped[2]) / 3;
  EXPECT_EQ(accepted(narrow, 0, wrapped, kCustom).status, Status::kAgreed);
  std::vector<std::int32_t> right = held<std::int32_t>(wide, 0);
  const std::int32_t sum = right[0] + right[1] + right[2];
  right[0] = sum / 3 - (sum % 3 < 0 ? 1 : 0);
  EXPECT_EQ(accepted(wide, 0, right, kCustom).status, Status::kAgreed);
  right[0] += 2;
  EXPECT_EQ(accepted(wide, 0, right, kCustom).status, Status::kFinding);
}

TEST(JudgeSharing, ARefusedCallMayHaveBegunToWriteAnOutThatLiesInAnInput) {
  // The second half of index's 24 bytes is out.
  constexpr std::string_view kAtTheEnd =
      "take out breaks=out_is_index\nself float32 (3)\nindex int64 (3) fill=descending\n"
      "out float32 (3) offset=1\n";
  for (const Standing standing : {kCustom, kAten, kStrict}) {
    JudgedCall call(kAtTheEnd);
    std::byte* const index = call.operand(1).data;
    index[12] = std::byte{99};
    EXPECT_EQ(call.verdict(standing).status, Status::kAgreed);
    // What was written into the input is there no more for the next call.
    call.arena.restore();
    EXPECT_EQ(index[12], std::byte{0});
    index[11] = std::byte{99};
    EXPECT_EQ(call.verdict(standing).kind, Kind::kInput);
  }
}

TEST(JudgeSharing, OutIsStillTheSameView) {
  const std::vector<float> self = held<float>(kOutInSelf, 0);
  const std::vector<float> right{self[3], self[2], self[2], self[3]};
  JudgedCall call(kOutInSelf);
  call.observation.outcome = Outcome::kReturned;
  std::memcpy(call.operand(0).data, right.data(), right.size() * sizeof(float));
  EXPECT_EQ(call.verdict(kCustom).status, Status::kAgreed);
  call.observation.written.data += sizeof(float);
  EXPECT_EQ(call.verdict(kCustom).status, Status::kFinding);
}

TEST(JudgeSharing, ASourceHoldsWhatSelfHolds) {
  constexpr std::string_view kSourceIsSelf =
      "index_add in-place breaks=source_is_written\nself int32 (2)\nindex int64 (2) "
      "fill=descending\nsource int32 (2)\nalpha int64 () fill=ones\n";
  const std::vector<std::int32_t> self = held<std::int32_t>(kSourceIsSelf, 0);
  const std::int32_t sum = self[0] + self[1];
  EXPECT_EQ(accepted(kSourceIsSelf, 0, std::vector{sum, sum}, kCustom).status, Status::kAgreed);
  // The second source element read after it was written.
  EXPECT_EQ(accepted(kSourceIsSelf, 0, std::vector{sum + self[0], sum}, kCustom).status,
            Status::kFinding);
}

TEST(JudgeSharing, PositionsAreThoseThatTheSharedMemoryHolds) {
  // self holds 1 and 2, and the index is its first element: 1, whatever was drawn for it.
  constexpr std::string_view kIndexIsSelf =
      "put in-place breaks=self_is_index\nself int64 (2)\nindex int64 (1) fill=first\n"
      "source int64 (1)\n";
  EXPECT_EQ(held<std::int64_t>(kIndexIsSelf, 0), (std::vector<std::int64_t>{1, 2}));
  const std::int64_t source = held<std::int64_t>(kIndexIsSelf, 2).front();
  EXPECT_EQ(accepted(kIndexIsSelf, 0, std::vector<std::int64_t>{1, source}, kCustom).status,
            Status::kAgreed);
  EXPECT_EQ(accepted(kIndexIsSelf, 0, std::vector<std::int64_t>{source, 2}, kCustom).status,
            Status::kFinding);
  // 1 is no position in a single element.
  constexpr std::string_view kBeyond =
      "put in-place breaks=self_is_index\nself int64 (1)\nindex int64 (1) fill=first\n"
      "source int64 (1)\n";
  EXPECT_EQ(accepted(kBeyond, 0, std::vector<std::int64_t>{source}, kCustom).status,
            Status::kFinding);
}

TEST(JudgeSharing, SumsThatMayRoundAreTakenAsTheyAre) {
  constexpr std::string_view kHalves =
      "index_add in-place breaks=source_is_written\nself float16 (2) fill=sums1\nindex int64 (2) "
      "fill=descending\nsource float16 (2) fill=sums1\nalpha int64 () fill=ones\n";
  EXPECT_EQ(accepted(kHalves, 0, std::vector<std::uint16_t>{0x3C00, 0x3C00}, kCustom).status,
            Status::kAgreed);
  EXPECT_EQ(accepted(kHalves, 0, std::vector<std::uint16_t>{0x3C00, 0x3C00, 0}, kCustom).kind,
            Kind::kMemory);
}

TEST(JudgeSharing, LongProductsMayBeRoundedAfterEachFactorButNotWrong) {
  constexpr std::string_view kProduct =
      "index_reduce in-place reduce=prod include_self=true breaks=source_is_written\n"
      "self float32 (60) fill=products1\nindex int64 (60) fill=first\n"
      "source float32 (60) fill=products1\n";
  std::vector<float> left = held<float>(kProduct, 0);
  double product = left[0];
  for (const float factor : left) product *= factor;
  const auto leaves = [&](double share) {
    left[0] = static_cast<float>(product * share);
    return accepted(kProduct, 0, left, kCustom).status;
  };
  EXPECT_EQ(leaves(1), Status::kAgreed);
  EXPECT_EQ(leaves(1 + 20.0 / (1 << 24)), Status::kAgreed);
  EXPECT_EQ(leaves(1 + 100.0 / (1 << 24)), Status::kFinding);
  EXPECT_EQ(leaves(2), Status::kFinding);
}

TEST(JudgeSharing, AnyOfSeveralContributorsMayWin) {
  constexpr std::string_view kSourceIsSelf =
      "index_copy in-place breaks=source_is_written\nself int32 (3)\nindex int64 (3) "
      "fill=last\nsource int32 (3)\n";
  const std::vector<std::int32_t> self = held<std::int32_t>(kSourceIsSelf, 0);
  for (const std::int32_t winner : self) {
    EXPECT_EQ(accepted(kSourceIsSelf, 0, std::vector{self[0], self[1], winner}, kCustom).status,
              Status::kAgreed);
  }
  EXPECT_EQ(accepted(kSourceIsSelf, 0, std::vector{self[0], self[1], 99}, kCustom).status,
            Status::kFinding);
}

TEST(JudgeSharing, ElementsThatAreReadAsPositionsAreNoCaseToTake) {
  constexpr std::string_view kIndexIsSelf =
      "index_fill.int_Scalar in-place breaks=self_is_index\nself int64 (2)\nindex int64 (2) "
      "fill=first\nvalue int64 ()\n";
  const std::vector<std::int64_t> self = held<std::int64_t>(kIndexIsSelf, 0);
  EXPECT_EQ(accepted(kIndexIsSelf, 0, self, kCustom).status, Status::kFinding);
}

/// out is `self[:2]` where self has gaps, which ATen's check lets pass.
constexpr std::string_view kWithGaps =
    "gather out breaks=out_is_self\nself float32 (4) step=(2)\nindex int64 (2) fill=descending\n"
    "out float32 (2)\n";

class WithGaps : public testing::Test {
 protected:
  WithGaps() {
    for (int i = 0; i < 4; ++i) self.push_back(element(i));
    call.observation.outcome = Outcome::kReturned;
    call.observation.result_count = 1;
    call.observation.result = call.observation.written;
    call.observation.result.same_as_operand = written_operand(call.arena.current());
  }
  float& element(int i) { return reinterpret_cast<float*>(call.operand(0).data)[2 * i]; }
  void leave(std::initializer_list<float> left) {
    for (int i = 0; const float value : left) element(i++) = value;
  }

  JudgedCall call{kWithGaps};
  std::vector<float> self;
};

TEST_F(WithGaps, WhatIsRightIsTakenOfAtenToo) {
  leave({self[3], self[2], self[2], self[3]});
  EXPECT_EQ(call.verdict(kAten).status, Status::kAgreed);
}

TEST_F(WithGaps, WhatIsWrongWasAccepted) {
  leave({self[3], self[2], self[2], self[2]});
  const Verdict verdict = call.verdict(kAten);
  EXPECT_EQ(verdict.status, Status::kFinding);
  EXPECT_EQ(name(verdict.kind), "accept");
}

TEST_F(WithGaps, SoIsAnElementThatReadWhatWasWrittenBefore) {
  leave({self[3], self[3], self[2], self[3]});
  EXPECT_EQ(name(call.verdict(kAten).kind), "accept");
}

TEST_F(WithGaps, AByteWrittenIntoAGapIsAFinding) {
  leave({self[3], self[2], self[2], self[3]});
  (&element(0))[1] = 0;
  EXPECT_EQ(call.verdict(kAten).status, Status::kFinding);
}

TEST_F(WithGaps, ACallMayHaveBegunBeforeItRefused) {
  leave({self[3], self[2], self[2], self[3]});
  call.refuse(Outcome::kRefused, "some elements refer to a single memory location");
  EXPECT_EQ(call.verdict(kAten).status, Status::kAgreed);
}

TEST(JudgeSharing, AnOutThatGrowsIntoSelfIsHeldToRefuseWhateverWasExpectedBefore) {
  const std::string operands =
      "\nself float32 (4)\nindex int64 (2) fill=descending\nout float32 (0)\n";
  // The result of the case before has the shape and dtype that this one's call returns.
  JudgedCall call("gather out" + operands);
  Case illegal = written("gather out breaks=out_is_self" + operands);
  ASSERT_TRUE(apply_rule(illegal));
  ASSERT_TRUE(grows_into_host(illegal));
  call.arena.prepare(std::move(illegal));
  EXPECT_EQ(call.verdict(kCustom).kind, Kind::kAccept);
}

TEST(JudgeSharing, ACallThatSharesNothingIsHeldToRefuse) {
  constexpr std::string_view kIndexAbove =
      "gather out breaks=index_above\nself float32 (4)\nindex int64 (2) fill=first\nout "
      "float32 (2)\n";
  EXPECT_EQ(accepted(kIndexAbove, 2, held<float>(kIndexAbove, 2), kCustom).kind, Kind::kAccept);
}

}  // namespace
}  // namespace indexfuzz
