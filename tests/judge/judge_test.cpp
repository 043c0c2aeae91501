// The judge against planted differences, one of every kind. Each test starts from a call that
// agrees.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "judge/judge_death.h"
#include "judged_call.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kSelect =
    "index_select functional\nself float32 (2, 2)\nindex int64 (2) fill=descending\n";
constexpr std::string_view kInPlace =
    "scatter_add in-place\nself int32 (2, 2) step=(1, 2)\nindex int64 (2, 2) fill=last\nsrc int32 "
    "(2, 2)\n";
constexpr std::string_view kOut =
    "index_select out\nself float32 (3)\nindex int64 (2) fill=last\nout float32 (2) step=(2)\n";
constexpr std::string_view kResized =
    "index_select out\nself float32 (3)\nindex int64 (2) fill=last\nout float32 (0)\n";

TEST(Judge, AgreesWithWhatIsRight) {
  for (const std::string_view body : {kSelect, kInPlace, kOut, kResized})
    expect_agreed(JudgedCall(body).verdict());
}

TEST(Judge, OutsideAContractEveryRefusalIsRight) {
  const auto judged = [](Status status, Kind kind, Outcome outcome) {
    Verdict as_legal;
    as_legal.status = status;
    as_legal.kind = kind;
    Observation observation;
    observation.outcome = outcome;
    return judge_outside_contract(as_legal, observation, "dtype of self");
  };
  constexpr Kind kNone = Kind::kValue;
  EXPECT_EQ(judged(Status::kRefused, kNone, Outcome::kRefused).status, Status::kAgreed);
  EXPECT_EQ(judged(Status::kUnsupported, kNone, Outcome::kUnsupported).status, Status::kAgreed)
      << "\"not implemented for\" is how a kernel refuses a dtype";
  expect_finding(judged(Status::kAgreed, kNone, Outcome::kReturned), Kind::kAccept, -1);
  expect_finding(judged(Status::kFinding, Kind::kValue, Outcome::kReturned), Kind::kAccept, -1);
  expect_finding(judged(Status::kFinding, Kind::kMemory, Outcome::kRefused), Kind::kMemory, -1);
  expect_finding(judged(Status::kFinding, Kind::kAssert, Outcome::kAsserted), Kind::kAssert, -1);
}

TEST(Judge, NothingToJudgeIsVacuous) {
  EXPECT_EQ(JudgedCall("index_select functional\nself float32 (2)\nindex int64 (0) fill=first\n")
                .verdict()
                .status,
            Status::kVacuous);
}

TEST(Judge, EveryWrongByteOfAFreshResultIsAWrongElement) {
  for (std::size_t at = 0; at < 16; ++at) {
    JudgedCall call(kSelect);
    call.storage[at] ^= std::byte{0x40};
    const Verdict verdict = call.verdict();
    expect_finding(verdict, Kind::kValue, -1);
    EXPECT_EQ(verdict.element, static_cast<std::int64_t>(at / 4));
    EXPECT_EQ(verdict.wrong_elements, 1);
    EXPECT_EQ(verdict.value_bytes, 4);
    EXPECT_EQ(std::memcmp(verdict.expected.data(), call.arena.expected() + at / 4 * 4, 4), 0);
    EXPECT_EQ(std::memcmp(verdict.actual.data(), &call.storage[at / 4 * 4], 4), 0);
  }
}

TEST(Judge, OfACallWithoutDataOnlyElementsMayDiffer) {
  const Standing meta{.is_meta = true};
  for (const std::string_view body : {kSelect, kResized}) {
    JudgedCall call(body);
    std::ranges::fill(call.storage, std::byte{0});
    EXPECT_EQ(call.verdict().kind, Kind::kValue) << body;
    expect_agreed(call.verdict(meta));
  }
  JudgedCall dtype(kSelect), shape(kSelect);
  dtype.observation.result.dtype = Dtype::kInt32;
  shape.observation.result.shape = {2, 1};
  for (JudgedCall* call : {&dtype, &shape})
    expect_finding(call->verdict(meta), Kind::kMetadata, -1);
}

TEST(Judge, OtherStridesThanWithDataAreWrongMetadata) {
  JudgedCall call(kSelect);
  call.observation.outcome = Outcome::kRefused;
  call.observation.message = std::string(kOtherStrides) + "[1, 2], with data [2, 1]";
  for (const bool custom : {false, true})
    expect_finding(call.verdict({.is_custom = custom, .is_meta = true}), Kind::kMetadata, -1);
  EXPECT_EQ(call.verdict({.is_custom = true}).status, Status::kRefused);
}

TEST(Judge, BytesOfAResultsStorageThatItDoesNotAddressAreItsOwn) {
  JudgedCall call(kSelect);
  call.storage[16] = std::byte{0};
  expect_agreed(call.verdict());
}

TEST(Judge, ReadsAResultThroughItsStrides) {
  JudgedCall call(kSelect);
  const std::vector<std::byte> right = call.storage;
  call.observation.result.strides = {1, 2};
  std::memcpy(&call.storage[4], &right[8], 4);
  std::memcpy(&call.storage[8], &right[4], 4);
  expect_agreed(call.verdict());
  call.observation.result.strides = {2, 1};
  EXPECT_EQ(call.verdict().wrong_elements, 2);
}

TEST(Judge, AWrongElementOfTheWrittenOperand) {
  for (const std::string_view body : {kInPlace, kOut}) {
    JudgedCall call(body);
    const int k = written_operand(call.arena.current());
    call.operand(k).data[0] ^= std::byte{1};
    const Verdict verdict = call.verdict();
    expect_finding(verdict, Kind::kValue, k);
    EXPECT_EQ(verdict.element, 0);
  }
}

TEST(Judge, AWrongByteInAGap) {
  for (const std::string_view body : {kInPlace, kOut}) {
    JudgedCall call(body);
    const int k = written_operand(call.arena.current());
    call.operand(k).data[5] = std::byte{0};  // between the first two elements
    expect_finding(call.verdict(), Kind::kMemory, k, "in the gaps of ");
  }
}

TEST(Judge, AWrongByteInAGapOfAnInput) {
  JudgedCall call(
      "index_select functional\nself float32 (2) step=(2)\nindex int64 (2) fill=descending\n");
  call.operand(0).data[5] = std::byte{0};
  expect_finding(call.verdict(), Kind::kMemory, 0, "bytes in the gaps of self");
}

TEST(Judge, AGapThatIsCopiedFromAnInputsIsSeen) {
  JudgedCall call(
      "scatter_add in-place\nself int32 (2, 2) step=(1, 2)\nindex int64 (2, 2) fill=last\n"
      "src int32 (2, 2) step=(1, 2)\n");
  std::memcpy(call.operand(0).data + 4, call.operand(2).data + 4, 4);
  expect_finding(call.verdict(), Kind::kMemory, 0, "bytes in the gaps of self");
}

TEST(Judge, AWrongCanaryAround) {
  for (int k = 0; k < 3; ++k) {
    for (const std::int64_t distance : {std::int64_t{1}, kMargin}) {
      JudgedCall call(
          "scatter_add in-place\nself int32 (2, 2) step=(1, 2) guard=right\n"
          "index int64 (2, 2) fill=last guard=right\nsrc int32 (2, 2) guard=right\n");
      call.operand(k).data[-distance] = std::byte{0};
      expect_finding(call.verdict(), Kind::kMemory, k, "bytes around");
    }
  }
  JudgedCall call("index_select functional\nself float32 (2)\nindex int64 (2) fill=descending\n");
  call.operand(0).data[8] = std::byte{0};
  expect_finding(call.verdict(), Kind::kMemory, 0, "bytes around self");
}

TEST(Judge, DamageAroundAKernelsOwnAllocation) {
  JudgedCall call(kSelect);
  call.observation.canary_bytes = 4;
  call.observation.canary_note = "4 bytes overwritten past the end of an allocation of 24 bytes";
  expect_finding(call.verdict(), Kind::kMemory, -1, "4 bytes overwritten past the end");
}

TEST(Judge, WhoAcceptsAnIllegalCallMayResizeItsOut) {
  JudgedCall call(
      "gather out breaks=index_above\nself float32 (2, 2)\nindex int64 (2, 2) fill=first\nout "
      "float32 "
      "(2, 2) after=(0, 1)\n");
  const PlacedOperand& out = call.operand(2);
  call.observation.outcome = Outcome::kReturned;
  call.observation.result_count = 1;
  call.observation.written.shape = {2, 2};
  std::memset(out.data + 8, 0, 4);  // between the rows
  EXPECT_EQ(call.verdict().kind, Kind::kMemory);
  call.observation.written.shape = {2, 2, 1};
  std::memset(out.data + 8, 0, 4);
  EXPECT_EQ(call.verdict().kind, Kind::kAccept);
}

TEST(Judge, AChangedInput) {
  for (const std::string_view body : {kSelect, kInPlace}) {
    JudgedCall call(body);
    call.operand(1).data[8] ^= std::byte{1};
    const Verdict verdict = call.verdict();
    expect_finding(verdict, Kind::kInput, 1, "index was changed by the call");
    EXPECT_EQ(verdict.element, 1);
  }
}

TEST(Judge, MemoryGoesBeforeInputBeforeMetadataBeforeValue) {
  JudgedCall call(
      "index_select functional\nself float32 (2) step=(2) guard=right\n"
      "index int64 (2) fill=descending\n");
  call.storage[0] ^= std::byte{1};
  expect_finding(call.verdict(), Kind::kValue, -1);
  call.observation.result.dtype = Dtype::kInt32;
  expect_finding(call.verdict(), Kind::kMetadata, -1);
  call.operand(1).data[0] ^= std::byte{1};
  expect_finding(call.verdict(), Kind::kInput, 1);
  call.operand(0).data[-1] = std::byte{0};
  expect_finding(call.verdict(), Kind::kMemory, 0);
}

TEST(Judge, DeathsAreTold) {
  const Case c = written(kSelect);
  expect_finding(judge_death(c, SIGSEGV, 1, false), Kind::kMemory, 1,
                 "touched memory beyond index");
  expect_finding(judge_death(c, SIGSEGV, -1, true), Kind::kMemory, -1, "an allocation of its own");
  expect_finding(judge_death(c, SIGSEGV, -1, false), Kind::kCrash, -1, "segmentation fault");
  expect_finding(judge_death(c, SIGABRT, -1, false), Kind::kCrash, -1, "aborted");
  EXPECT_EQ(judge_death(c, SIGFPE, -1, false).signal, SIGFPE);
  expect_finding(judge_written_input(c, SIGSEGV, 1), Kind::kInput, 1, "wrote into index");
  EXPECT_TRUE(ends_process(judge_written_input(c, SIGSEGV, 1)));
}

}  // namespace
}  // namespace indexfuzz
