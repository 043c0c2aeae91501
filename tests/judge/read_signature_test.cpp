#include "judge/read_signature.h"

#include <gtest/gtest.h>

#include <string>

#include "../written_case.h"
#include "draw/draw.h"

namespace indexfuzz {
namespace {

/// Failures of every shape of signature, one for each number.
Verdict some_verdict(const Case& c, std::uint64_t number) {
  constexpr Kind kKinds[] = {Kind::kValue, Kind::kMemory, Kind::kAccept, Kind::kMetadata};
  Verdict verdict;
  verdict.status = Status::kFinding;
  verdict.kind = kKinds[number % std::size(kKinds)];
  if (number % 3 != 0) verdict.operand = static_cast<std::int8_t>(number % c.operands.size());
  if (number % 5 == 0) {
    verdict.kind = Kind::kCrash;
    verdict.signal = 11;
  }
  if (number % 7 == 0) {
    verdict.kind = Kind::kRefusal;
    set_message(verdict, R"(expected "self" on cpu: value, got 3; when run, on "x")");
    verdict.error_class = error_class(verdict.message.data());
  }
  return number % 11 == 0 ? refused_by_contents(finding(Kind::kRefusal, -1, "got 3, not 4"))
                          : verdict;
}

TEST(ReadSignature, GivesBackWhatTheSignatureWasMadeOf) {
  const auto targets = all_targets();
  for (std::uint64_t number = 0; number < 20000; ++number) {
    Case c;
    draw_case(7, 0, number * 11, targets, {}, c);
    const Verdict verdict = some_verdict(c, number);
    TraitSet essential;
    for (const Trait trait : traits(c)) {
      if ((trait + number) % 3 == 0) essential.push_back(trait);
    }
    const char* const implementation = number % 2 == 0 ? "aten:cuda" : "mine::gather@cuda:1";
    const Signature made = signature(c, verdict, implementation, essential);
    const auto read = read_signature(made.text, c);
    ASSERT_TRUE(read.has_value()) << made.text;
    EXPECT_EQ(read->implementation, implementation);
    const Signature again = signature(c, read->verdict, read->implementation, read->essential);
    ASSERT_EQ(again.id, made.id) << made.text;
    // By which it is recognized.
    ASSERT_EQ(shrink_key(c, read->verdict, implementation), shrink_key(c, verdict, implementation))
        << made.text;
  }
}

TEST(ReadSignature, IsNothingForAnotherCaseOrALaterCall) {
  const Case c = written("gather functional\nself float32 (4)\nindex int32 (2) fill=first\n");
  const Case out =
      written("gather out\nself float32 (4)\nindex int32 (2) fill=first\nout float32 (2)\n");
  Verdict verdict;
  verdict.status = Status::kFinding;
  const std::string text = signature(c, verdict, "aten:cpu", traits(c)).text;
  EXPECT_TRUE(read_signature(text, c).has_value()) << text;
  EXPECT_FALSE(read_signature(text, out).has_value());
  EXPECT_FALSE(read_signature(text + ", self is strided", c).has_value());
  EXPECT_FALSE(read_signature(signature(c, verdict, "aten:cpu", {}, 2).text, c).has_value());
  for (const char* other : {"", "gather", "gather on ", "gather on aten:cpu: ", "; when ", "\"\""})
    EXPECT_FALSE(read_signature(other, c).has_value()) << other;
}

}  // namespace
}  // namespace indexfuzz
