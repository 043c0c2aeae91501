// The judge on how a call ended and on the tensor that came back. Each test starts from a call that
// agrees.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "judged_call.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kSelect =
    "index_select functional\nself float32 (2, 2)\nindex int64 (2) fill=descending\n";
constexpr std::string_view kInPlace =
    "scatter_add in-place\nself int32 (3)\nindex int64 (2) fill=last\nsrc int32 (2)\n";
constexpr std::string_view kOut =
    "index_select out\nself float32 (3)\nindex int64 (2) fill=last\nout float32 (2)\n";
constexpr std::string_view kResized =
    "index_select out\nself float32 (3)\nindex int64 (2) fill=last\nout float32 (0)\n";
constexpr std::string_view kIllegal =
    "scatter_add in-place breaks=index_above\nself int32 (3) step=(2)\nindex int64 (2) "
    "fill=last\nsrc int32 (2)\n";

void expect_metadata(JudgedCall& call, int operand, std::string_view message) {
  const Verdict verdict = call.verdict();
  EXPECT_EQ(verdict.status, Status::kFinding);
  EXPECT_EQ(name(verdict.kind), "metadata");
  EXPECT_EQ(verdict.operand, operand);
  EXPECT_THAT(verdict.message.data(), HasSubstr(std::string(message)));
}

TEST(JudgeRefusal, WhatAKernelSaysHoldsNothingForTheTerminal) {
  JudgedCall call(kIllegal);
  call.observation.outcome = Outcome::kRefused;
  call.observation.message = "\x1b[2Jno \xff" + std::string(400, 'x');
  const std::string message = call.verdict().message.data();
  EXPECT_TRUE(message.starts_with("\\x1B[2Jno \\xFFxxx")) << message;
  EXPECT_EQ(message.size(), call.verdict().message.size() - 1);
}

TEST(JudgeMetadata, OfAFreshOrResizedResult) {
  struct Planted {
    std::string_view message;
    void (*plant)(ReturnedTensor&);
  };
  const Planted kPlanted[] = {
      {"undefined", [](ReturnedTensor& t) { t.defined = false; }},
      {"another device", [](ReturnedTensor& t) { t.on_device = false; }},
      {"dtype int32, expected float32", [](ReturnedTensor& t) { t.dtype = Dtype::kInt32; }},
      {"dtype unknown", [](ReturnedTensor& t) { t.dtype_known = false; }},
      {"shape (", [](ReturnedTensor& t) { t.shape.back() = 1; }},
      {"shape (",
       [](ReturnedTensor& t) { t.shape.push_back(1), t.strides.push_back(1), ++t.rank; }},
      {"shape (", [](ReturnedTensor& t) { t.rank += 20; }},
      {"beyond its storage", [](ReturnedTensor& t) { t.strides.front() = 100; }},
      {"beyond its storage", [](ReturnedTensor& t) { t.strides.front() = -1; }},
      // Sizes of 2: the extent in bytes is more than 64 bits hold, and their lowest ones say 4.
      {"beyond its storage", [](ReturnedTensor& t) { t.strides.front() = std::int64_t{1} << 62; }},
      {"beyond its storage", [](ReturnedTensor& t) { t.strides.front() = INT64_MAX; }},
      {"beyond its storage", [](ReturnedTensor& t) { t.storage_bytes -= 8; }},
      {"beyond its storage", [](ReturnedTensor& t) { t.data -= 4; }},
      {"beyond its storage", [](ReturnedTensor& t) { t.data = nullptr; }},
      {"share memory", [](ReturnedTensor& t) { t.strides.front() = 0; }},
      {"requires a gradient", [](ReturnedTensor& t) { t.requires_grad = true; }},
      {"an inference tensor", [](ReturnedTensor& t) { t.is_inference = true; }},
  };
  for (const Planted& planted : kPlanted) {
    JudgedCall fresh(kSelect);
    planted.plant(fresh.observation.result);
    expect_metadata(fresh, -1, planted.message);
    JudgedCall resized(kResized);
    planted.plant(resized.observation.written);
    expect_metadata(resized, 2, planted.message);
  }
}

TEST(JudgeMetadata, OverlappingStridesThatMeetInTheMiddle) {
  JudgedCall call(kSelect);
  call.observation.result.strides = {1, 1};
  expect_metadata(call, -1, "share memory");
}

TEST(JudgeMetadata, StridesThatInterleaveShareNothing) {
  JudgedCall call("index_select functional\nself float32 (2, 3)\nindex int64 (2) fill=ascending\n");
  // The offsets 0, 2, 4 and 3, 5, 7.
  std::vector<float> storage{1, 0, 2, 4, 3, 5, 0, 6};
  ReturnedTensor& result = call.observation.result;
  result.strides = {3, 2};
  result.storage_bytes = static_cast<std::int64_t>(storage.size() * sizeof(float));
  result.data = result.storage = reinterpret_cast<std::byte*>(storage.data());
  EXPECT_EQ(call.verdict().status, Status::kAgreed);
  result.strides = {2, 2};  // 2 and 4 twice
  expect_metadata(call, -1, "share memory");
}

TEST(JudgeMetadata, AStrideOfASizeOneDimensionIsNobodysConcern) {
  JudgedCall call("index_select functional\nself float32 (2, 2)\nindex int64 (1) fill=last\n");
  call.observation.result.strides = {0, 1};
  EXPECT_EQ(call.verdict().status, Status::kAgreed);
}

TEST(JudgeMetadata, AResultThatAliasesAnInput) {
  JudgedCall call("index_select functional\nself float32 (2)\nindex int64 (2) fill=ascending\n");
  ReturnedTensor& result = call.observation.result;
  result.data = result.storage = call.operand(0).data;
  result.storage_bytes = call.operand(0).storage_bytes;
  expect_metadata(call, -1, "shares memory with an operand");
}

TEST(JudgeMetadata, AResultWithoutElementsSharesNone) {
  JudgedCall call("index_select functional\nself float32 (2)\nindex int64 (0) fill=ascending\n");
  ReturnedTensor& result = call.observation.result;
  result.data = result.storage = call.operand(0).data;
  result.storage_bytes = call.operand(0).storage_bytes;
  EXPECT_NE(call.verdict().status, Status::kFinding);
}

TEST(JudgeMetadata, TheNumberOfResults) {
  JudgedCall none(kSelect);
  none.observation.result_count = 0;
  expect_metadata(none, -1, "no result");
  JudgedCall two(kSelect);
  two.observation.result_count = 2;
  expect_metadata(two, -1, "2 results");
  JudgedCall nothing(kInPlace);
  nothing.observation.result_count = 0;  // `-> ()`
  EXPECT_EQ(nothing.verdict().status, Status::kAgreed);
}

TEST(JudgeMetadata, TheWrittenTensorItselfComesBackUnchanged) {
  for (const std::string_view body : {kInPlace, kOut}) {
    const int k = written_operand(written(body));
    JudgedCall other(body);
    other.observation.result.same_as_operand = -1;
    expect_metadata(other, k, "another tensor");
    JudgedCall strides(body);
    strides.observation.written.strides[0] = 2;
    expect_metadata(strides, k, "no longer the same view");
    JudgedCall shape(body);
    shape.observation.written.shape = {1};
    expect_metadata(shape, k, "no longer the same view");
    JudgedCall parameter(body);
    parameter.observation.written.requires_grad = true;
    expect_metadata(parameter, k, "requires a gradient");
    JudgedCall moved(body);
    moved.observation.written.data += 4;
    expect_metadata(moved, k, "no longer the same view");
    JudgedCall dtype(body);
    dtype.observation.written.dtype = Dtype::kBool;
    expect_metadata(dtype, k, "no longer the same view");
    JudgedCall unknown_dtype(body);
    unknown_dtype.observation.written.dtype_known = false;
    expect_metadata(unknown_dtype, k, "no longer the same view");
  }
}

TEST(JudgeMetadata, AnOutThatHadToBeResizedIsJudgedWhereItLies) {
  JudgedCall wrong(kResized);
  wrong.storage[0] ^= std::byte{1};
  const Verdict verdict = wrong.verdict();
  EXPECT_EQ(verdict.kind, Kind::kValue);
  EXPECT_EQ(verdict.operand, 2);
  JudgedCall left_alone(kResized);
  left_alone.observation.written.shape = {0};
  expect_metadata(left_alone, 2, "shape (0), expected (2)");
}

/// Three elements, of a storage of eight, where the result has two.
constexpr std::string_view kResizedFromElements =
    "index_select out\nself float32 (3)\nindex int64 (2) fill=last\n"
    "out float32 (3) step=(2) after=(1) offset=2\n";

TEST(JudgeMetadata, AnOutThatLosesItsElementsMayBeWrittenInAllOfItsStorage) {
  JudgedCall call(kResizedFromElements);
  const PlacedOperand& out = call.operand(2);
  ASSERT_EQ(out.storage_bytes, 8 * 4);
  std::memset(out.storage, 0, static_cast<std::size_t>(out.storage_bytes));
  EXPECT_EQ(call.verdict().status, Status::kAgreed);
  EXPECT_TRUE(call.arena.canaries_intact());
  call.storage[0] ^= std::byte{1};
  EXPECT_EQ(call.verdict().kind, Kind::kValue);
  JudgedCall beyond(kResizedFromElements);
  beyond.operand(2).storage[beyond.operand(2).storage_bytes] = std::byte{0};
  EXPECT_EQ(beyond.verdict().kind, Kind::kMemory);
}

TEST(JudgeMetadata, AnotherKernelMayCopyItsResultIntoAnOutThatHoldsElements) {
  JudgedCall call(
      "index_select out\nself float32 (3)\nindex int64 (1) fill=last\n"
      "out float32 (3) step=(2) after=(1) offset=2\n");
  ReturnedTensor& written = call.observation.written;
  written = call.observation.result = {true, true, true, Dtype::kFloat, {3}, {2}, 1};
  written.data = call.operand(2).data;
  written.storage = call.operand(2).storage;
  written.storage_bytes = call.operand(2).storage_bytes;
  call.observation.result.same_as_operand = 2;
  const auto put = [&](int place) {
    std::memcpy(call.operand(2).data + 2 * sizeof(float) * static_cast<std::size_t>(place),
                call.arena.expected(), sizeof(float));
  };
  put(0);
  // The rest is what lay there before.
  EXPECT_EQ(call.verdict({.is_custom = true}).kind, Kind::kMetadata);
  put(1);
  put(2);
  EXPECT_EQ(call.verdict({.is_custom = true}).status, Status::kRefused);
  expect_metadata(call, 2, "shape (3), expected (1)");
  EXPECT_EQ(call.verdict({.is_custom = true, .strict = true}).kind, Kind::kMetadata);
  JudgedCall narrower(kResizedFromElements);
  narrower.observation.written.shape = {3};
  EXPECT_EQ(narrower.verdict({.is_custom = true}).kind, Kind::kMetadata);
  call.operand(2).storage[call.operand(2).storage_bytes] = std::byte{0};
  EXPECT_EQ(call.verdict({.is_custom = true}).kind, Kind::kMemory);
  JudgedCall empty(kResized);
  empty.observation.written.shape = {0};
  EXPECT_EQ(empty.verdict({.is_custom = true}).kind, Kind::kMetadata);
}

TEST(JudgeOutcome, AnIllegalCaseMustBeRefused) {
  JudgedCall call(kIllegal);
  EXPECT_EQ(call.verdict().status, Status::kAgreed);
  call.observation.outcome = Outcome::kReturned;
  const Verdict accepted = call.verdict();
  EXPECT_EQ(accepted.status, Status::kFinding);
  EXPECT_EQ(accepted.kind, Kind::kAccept);
  EXPECT_THAT(accepted.message.data(), HasSubstr("index_above"));
}

TEST(JudgeOutcome, AnUnsupportedDtypeRefusesToo) {
  JudgedCall illegal(kIllegal);
  illegal.refuse(Outcome::kUnsupported, "not implemented for 'Int'");
  EXPECT_EQ(illegal.verdict().status, Status::kAgreed);
  JudgedCall legal(kSelect);
  legal.refuse(Outcome::kUnsupported, "not implemented for 'Float'");
  EXPECT_EQ(legal.verdict().status, Status::kUnsupported);
}

TEST(JudgeOutcome, OnlyACustomKernelMayNarrowItselfAndNotWhenStrict) {
  JudgedCall call(kSelect);
  call.refuse(Outcome::kRefused, "expected a contiguous tensor");
  EXPECT_EQ(call.verdict({.is_custom = true, .strict = false}).status, Status::kRefused);
  for (const Standing standing :
       {Standing{}, Standing{.strict = true}, Standing{.is_custom = true, .strict = true}}) {
    const Verdict verdict = call.verdict(standing);
    EXPECT_EQ(verdict.status, Status::kFinding);
    EXPECT_EQ(verdict.kind, Kind::kRefusal);
    EXPECT_EQ(verdict.error_class, error_class("expected a contiguous tensor"));
  }
}

TEST(JudgeOutcome, WhoCopiesATableMayRunOutOfMemory) {
  JudgedCall plain(kSelect),
      of_table(
          "index_select functional\nself float32 (2) slices=last\nindex int64 (1) fill=last\n");
  for (JudgedCall* const call : {&plain, &of_table})
    call->refuse(Outcome::kOutOfMemory, "ran out of memory");
  EXPECT_EQ(plain.verdict().kind, Kind::kOom);
  EXPECT_EQ(plain.verdict().status, Status::kFinding);
  EXPECT_EQ(of_table.verdict({.is_custom = true, .strict = true}).status, Status::kRefused);
  for (JudgedCall* const call : {&plain, &of_table})
    call->refuse(Outcome::kRefused, "CUDA error: out of memory");
  EXPECT_EQ(plain.verdict({.is_custom = true}).status, Status::kFinding);
  EXPECT_EQ(of_table.verdict({.is_custom = true}).status, Status::kRefused);
}

TEST(JudgeOutcome, NobodyNarrowsItselfByAnErrorOfCudaOrOfTheLanguagesOwn) {
  std::string range_check, optional;
  try {
    (void)std::vector<int>(2).at(2);
  } catch (const std::out_of_range& error) {
    range_check = error.what();
  }
  try {
    (void)std::optional<int>().value();
  } catch (const std::bad_optional_access& error) {
    optional = error.what();
  }
  for (const std::string& message :
       {std::string("CUDA error: invalid configuration argument"),
        std::string("AcceleratorError: CUDA error: an illegal memory access was encountered"),
        std::string("Triton Error [CUDA]: misaligned address"), range_check, optional,
        std::string("IndexError: list index out of range")}) {
    JudgedCall legal(kSelect);
    legal.refuse(Outcome::kRefused, message);
    EXPECT_EQ(legal.verdict({.is_custom = true}).status, Status::kFinding) << message;
    EXPECT_EQ(legal.verdict({.is_custom = true}).kind, Kind::kRefusal);
    JudgedCall illegal(kIllegal);
    illegal.refuse(Outcome::kRefused, message);
    EXPECT_EQ(illegal.verdict({.is_custom = true}).status, Status::kAgreed) << message;
  }
}

TEST(JudgeOutcome, NobodyNarrowsItselfByAGradientThatIsMissingOrOfAnotherShape) {
  for (const std::string_view message :
       {"Function MyBackward returned an invalid gradient at index 0 - got [3] but expected shape "
        "compatible with [4]",
        "element 0 of tensors does not require grad and does not have a grad_fn"}) {
    JudgedCall call(kSelect);
    call.refuse(Outcome::kRefused, message);
    expect_finding(call.verdict({.is_custom = true, .is_gradient = true}), Kind::kRefusal, -1);
  }
}

TEST(JudgeOutcome, AnAssertionIsAFindingOfLegalAndIllegalCases) {
  for (const std::string_view body : {kSelect, kIllegal}) {
    JudgedCall call(body);
    call.refuse(Outcome::kAsserted, "x INTERNAL ASSERT FAILED");
    const Verdict verdict = call.verdict({.is_custom = true, .strict = false});
    EXPECT_EQ(verdict.status, Status::kFinding);
    EXPECT_EQ(verdict.kind, Kind::kAssert);
  }
}

TEST(JudgeOutcome, NoOrdinaryErrorIsNoRefusal) {
  for (const std::string_view body : {kSelect, kIllegal}) {
    JudgedCall call(body);
    call.refuse(Outcome::kForeign, "threw something");
    EXPECT_EQ(call.verdict({.is_custom = true, .strict = false}).kind, Kind::kRefusal);
    EXPECT_EQ(call.verdict({.is_custom = true, .strict = false}).status, Status::kFinding);
  }
}

TEST(JudgeOutcome, ARefusedCallMayHaveWrittenItsOutputAndNothingElse) {
  JudgedCall output(kIllegal);
  output.operand(0).data[0] ^= std::byte{1};
  EXPECT_EQ(output.verdict().status, Status::kAgreed);
  JudgedCall input(kIllegal);
  input.operand(2).data[0] ^= std::byte{1};
  EXPECT_EQ(input.verdict().kind, Kind::kInput);
  EXPECT_EQ(input.verdict().operand, 2);
  JudgedCall gap(kIllegal);
  gap.operand(0).data[5] = std::byte{0};
  EXPECT_EQ(gap.verdict().kind, Kind::kMemory);
  JudgedCall around(kIllegal);
  const PlacedOperand& self = around.operand(0);
  self.data[self.extent_bytes] = std::byte{0};
  EXPECT_EQ(around.verdict().kind, Kind::kMemory);
}

TEST(JudgeOutcome, ALegalCaseThatWasRefusedIsStillSearchedForDamage) {
  JudgedCall call(kSelect);
  call.refuse(Outcome::kRefused, "no");
  call.operand(1).data[0] ^= std::byte{1};
  EXPECT_EQ(call.verdict({.is_custom = true, .strict = false}).kind, Kind::kInput);
}

}  // namespace
}  // namespace indexfuzz
