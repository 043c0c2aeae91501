// Values that are right although the oracle wrote another one, each beside one that is not.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "judged_call.h"

namespace indexfuzz {
namespace {

TEST(Admissible, AnyAdmissibleDuplicateMayWinAndNothingElse) {
  // Positions 0, 1, 2, 0: element 0 holds -1 or -4.
  for (const std::string_view variant : {"functional", "in-place"}) {
    for (const auto& [value, admissible] :
         {std::pair{-1.0f, true}, {-4.0f, true}, {-2.0f, false}, {1.0f, false}}) {
      JudgedCall call("index_put " + std::string(variant) +
                      "\nself float32 (3)\nvalues float32 (4)\nindices int64 (4) fill=ascending\n");
      std::byte* const data = variant == "functional" ? call.storage.data() : call.operand(0).data;
      std::memcpy(data, &value, sizeof value);
      const Verdict verdict = call.verdict();
      if (admissible) {
        expect_agreed(verdict);
      } else {
        expect_finding(verdict, Kind::kValue, variant == "functional" ? -1 : 0);
      }
    }
  }
}

TEST(Admissible, AnotherDuplicateIsNoExcuseForAnElementWithoutOne) {
  JudgedCall call(
      "index_put functional\nself float32 (3)\nvalues float32 (4)\nindices int64 (4) "
      "fill=ascending\n");
  const float other = -1;
  std::memcpy(&call.storage[0], &other, sizeof other);
  std::memcpy(&call.storage[4], &other, sizeof other);
  const Verdict verdict = call.verdict();
  EXPECT_EQ(verdict.element, 1);
  EXPECT_EQ(verdict.wrong_elements, 1);
}

TEST(Admissible, ANaNAgreesWithANaNButANegativeZeroWithNoZero) {
  const std::string body =
      "index_put functional\nself float32 (64) fill=special1\nvalues float32 (0)\nindices int64 "
      "(0) fill=first\n";
  JudgedCall probe(body);
  int nans = 0, zeros = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::byte* const element = &probe.storage[4 * i];
    std::uint32_t bits;
    std::memcpy(&bits, element, sizeof bits);
    const bool nan = std::isnan(to_double(Dtype::kFloat, element)), zero = (bits << 1) == 0;
    if (!nan && !zero) continue;
    ++(nan ? nans : zeros);
    JudgedCall call(body);
    bits = nan ? bits ^ 0x80000003u : bits ^ 0x80000000u;
    std::memcpy(&call.storage[4 * i], &bits, sizeof bits);
    EXPECT_EQ(call.verdict().status == Status::kAgreed, nan) << i;
  }
  EXPECT_GT(nans, 0);
  EXPECT_GT(zeros, 0);
}

TEST(Admissible, OfAComplexSumThatIsNotFiniteACustomKernelMayMakeNaNOfTheOtherPart) {
  JudgedCall call(
      "index_put in-place accumulate=true\nself complex64 (1) fill=sums1\nvalues complex64 () "
      "fill=sums3 seed=2\nindices int64 () fill=first\n");
  float right[2];
  std::memcpy(right, call.arena.expected(), sizeof right);
  ASSERT_TRUE(std::isinf(right[0]) && std::isfinite(right[1]));
  struct Wrong {
    int part;
    float value;
    bool agrees;
  };
  const float nan = std::nanf("");
  for (const auto& [part, value, agrees] :
       {Wrong{1, nan, true}, {1, 5.0f, false}, {0, nan, false}}) {
    for (const bool is_custom : {true, false}) {
      float wrong[2] = {right[0], right[1]};
      wrong[part] = value;
      std::memcpy(call.operand(0).data, wrong, sizeof wrong);
      const Verdict verdict = call.verdict({.is_custom = is_custom});
      if (is_custom && agrees)
        expect_agreed(verdict);
      else
        expect_finding(verdict, Kind::kValue, 0);
      call.arena.mark_dirty();
      call.arena.prepare(Case(call.arena.current()));
    }
  }
}

TEST(Admissible, AZeroOfAGradientOfACustomKernelMayHaveTheOtherSign) {
  for (const auto& [dtype, size] : {std::pair{Dtype::kFloat, 4u}, {Dtype::kComplexFloat, 8u}}) {
    const std::string body = "index_select functional dim=0\nself " +
                             std::string(info(dtype).name) +
                             " (64) fill=special1\nindex int64 (64) fill=ascending\n";
    JudgedCall probe(body);
    int zeros = 0, others = 0;
    for (std::size_t at = 0; at < std::size_t{64} * size; at += 4) {
      const double value = to_double(Dtype::kFloat, &probe.storage[at]);
      if (std::isnan(value)) continue;
      ++(value == 0 ? zeros : others);
      for (const Standing standing : {Standing{.is_custom = true, .is_gradient = true},
                                      {.is_custom = true},
                                      {.is_gradient = true}}) {
        JudgedCall call(body);
        call.storage[at + 3] ^= std::byte{0x80};
        const bool agrees = standing.is_custom && standing.is_gradient && value == 0;
        EXPECT_EQ(call.verdict(standing).status == Status::kAgreed, agrees) << at;
      }
    }
    EXPECT_GT(zeros, 0);
    EXPECT_GT(others, 0);
  }
}

TEST(Admissible, TwoWritersMayEachWinAPartOfAComplexNumber) {
  // self[0] receives -1+1i or -2+2i: by default an element's parts differ in sign.
  JudgedCall call(
      "scatter.src in-place\nself complex128 (2)\nindex int64 (2) fill=first\n"
      "src complex128 (2)\n");
  double right[2], other[2];
  std::memcpy(right, call.arena.expected(), sizeof right);
  std::memcpy(other, call.operand(2).data, sizeof other);
  if (other[0] == right[0])
    std::memcpy(other, static_cast<const std::byte*>(call.operand(2).data) + sizeof other,
                sizeof other);
  ASSERT_NE(right[0], other[0]);
  ASSERT_NE(right[1], other[1]);
  for (const bool is_custom : {true, false}) {
    const auto judged = [&](double real, double imaginary) {
      const double written[2] = {real, imaginary};
      std::memcpy(call.operand(0).data, written, sizeof written);
      const Verdict verdict = call.verdict({.is_custom = is_custom});
      call.arena.mark_dirty();
      call.arena.prepare(Case(call.arena.current()));
      return verdict;
    };
    expect_agreed(judged(other[0], other[1]));
    const Verdict mixed = judged(right[0], other[1]);
    if (is_custom)
      expect_agreed(mixed);
    else
      expect_finding(mixed, Kind::kValue, 0);
    expect_finding(judged(right[1], right[0]), Kind::kValue, 0);
  }
}

/// The verdict where the one float that a call writes is another number than the right one.
template <typename F>
Verdict verdict_on(JudgedCall& call, F&& wrong, bool is_custom) {
  const bool is_functional = call.arena.current().variant == Variant::kFunctional;
  float number;
  std::memcpy(&number, call.arena.expected(), sizeof number);
  number = wrong(number);
  std::memcpy(is_functional ? call.storage.data() : call.operand(0).data, &number, sizeof number);
  const Verdict verdict = call.verdict({.is_custom = is_custom});
  call.arena.mark_dirty();
  call.arena.prepare(Case(call.arena.current()));
  return verdict;
}

TEST(Admissible, AQuotientMayBeAProductWithTheReciprocal) {
  JudgedCall call(
      "embedding_dense_backward functional num_weights=1 padding_idx=-1 "
      "scale_grad_by_freq=true\nindices int64 "
      "(3) fill=first\ngrad_output float32 (3, 1) fill=lone1\n");
  const auto above = [](float right) { return std::nextafter(right, 1e9f); };
  const auto below = [](float right) { return std::nextafter(right, -1e9f); };
  const auto far = [](float right) { return std::nextafter(std::nextafter(right, 1e9f), 1e9f); };
  for (const bool is_custom : {true, false}) {
    expect_agreed(verdict_on(call, above, is_custom));
    expect_agreed(verdict_on(call, below, is_custom));
    expect_finding(verdict_on(call, far, is_custom), Kind::kValue, -1);
  }
}

TEST(Admissible, AGradientThatIsZeroMayHaveEitherSign) {
  JudgedCall call(
      "embedding_dense_backward functional num_weights=1 padding_idx=-1 "
      "scale_grad_by_freq=false\nindices int64 (1) fill=first\ngrad_output float32 (1, 1) "
      "fill=zeros\n");
  for (const bool is_custom : {true, false}) {
    expect_agreed(verdict_on(
        call, [](float right) { return -right; }, is_custom));
    expect_finding(verdict_on(
                       call, [](float right) { return right + 1e-45f; }, is_custom),
                   Kind::kValue, -1);
  }
}

TEST(Admissible, ACustomKernelMayLeaveOutWhatNamesNoRowOfAGradient) {
  JudgedCall call(
      "embedding_dense_backward functional breaks=index_above num_weights=1 padding_idx=-1 "
      "scale_grad_by_freq=false\nindices int64 (1) fill=first\ngrad_output float32 (1, 1) "
      "fill=sums1\n");
  call.observation.outcome = Outcome::kReturned;
  call.observation.result_count = 1;
  EXPECT_EQ(call.verdict({.is_custom = true}).status, Status::kVacuous);
  expect_finding(call.verdict({.is_custom = false}), Kind::kAccept, -1);
}

TEST(Admissible, AMeanMayBeOffByTheRoundingsOfItsTermsAndNoMore) {
  const std::string_view body =
      "scatter_reduce in-place reduce=mean include_self=true\nself float32 (1) fill=sums1\nindex "
      "int64 (2) fill=first\nsrc float32 (2) fill=sums1\n";
  JudgedCall call(body);
  const Expectation e = expectation(written(body));
  const auto roundings = static_cast<float>(e.tolerance[0]);
  ASSERT_GT(roundings, 0);
  for (const bool is_custom : {true, false}) {
    for (const float sign : {1.0f, -1.0f}) {
      expect_agreed(verdict_on(
          call, [&](float right) { return right + sign * roundings * 0.9f; }, is_custom));
      expect_finding(
          verdict_on(
              call, [&](float right) { return right + sign * roundings * 1.5f; }, is_custom),
          Kind::kValue, 0);
    }
    expect_finding(verdict_on(
                       call, [](float) { return std::nanf(""); }, is_custom),
                   Kind::kValue, 0);
  }
}

TEST(Admissible, NoNumberIsNearAMeanThatIsInfiniteOrNaN) {
  bool was_infinite = false, was_nan = false;
  for (int seed = 1; seed < 9; ++seed) {
    JudgedCall call(
        "scatter_reduce in-place reduce=mean include_self=true\nself float32 (1) fill=sums1\nindex "
        "int64 (2) fill=first\nsrc float32 (2) fill=sums3 seed=" +
        std::to_string(seed) + "\n");
    float right;
    std::memcpy(&right, call.arena.expected(), sizeof right);
    if (std::isfinite(right)) continue;
    was_infinite |= std::isinf(right);
    was_nan |= std::isnan(right);
    for (const float number : {0.0f, -1e30f, std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::lowest(), -right}) {
      if (std::isnan(number)) continue;
      expect_finding(verdict_on(
                         call, [&](float) { return number; }, true),
                     Kind::kValue, 0);
    }
  }
  EXPECT_TRUE(was_infinite && was_nan);
}

TEST(Admissible, AMeanOfOneOrOfIntegersIsExact) {
  for (const std::string_view count : {"1", "2"}) {
    const bool is_mean_of_two = count == "2";
    const std::string dtype = is_mean_of_two ? "int32" : "float32";
    JudgedCall call("scatter_reduce in-place reduce=mean\nself " + dtype +
                    " (1) fill=sums1\nindex int64 (" + std::string(count) + ") fill=first\nsrc " +
                    dtype + " (" + std::string(count) + ") fill=sums1\n");
    // Of an integer the next number too.
    call.operand(0).data[0] ^= std::byte{1};
    expect_finding(call.verdict(), Kind::kValue, 0);
  }
}

TEST(Admissible, OfTwoZerosEitherIsTheLarger) {
  JudgedCall call(
      "scatter_reduce in-place reduce=amax include_self=true\nself float32 (1) fill=zeros\nindex "
      "int64 (1) fill=first\nsrc float32 (1) fill=zeros\n");
  for (const bool is_custom : {true, false}) {
    expect_agreed(verdict_on(
        call, [](float) { return -0.0f; }, is_custom));
    expect_finding(verdict_on(
                       call, [](float) { return 1e-45f; }, is_custom),
                   Kind::kValue, 0);
  }
}

}  // namespace
}  // namespace indexfuzz
