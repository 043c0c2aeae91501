// bucketize's oracle and rules, by hand. How places are found is tested with searchsorted.

#include "ops/fills/write_fill.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;

TEST(Bucketize, FindsThePlaceOfEachValue) {
  constexpr std::string_view kCase =
      "bucketize.Tensor functional out_int32=false right=false\n"
      "self float32 (2, 2) fill=searched1\nboundaries float32 (3) fill=sorted1\n";
  EXPECT_THAT(bits_of<std::int64_t>(
                  oracle_of(kCase, {bytes_of<float>({0, 1, 1.5f, 9}), bytes_of<float>({1, 2, 3})})),
              ElementsAre(0, 0, 1, 3));
  EXPECT_EQ(result_shape_of(kCase), (Dims{2, 2}));
  EXPECT_EQ(oracle_of("bucketize.Scalar functional out_int32=true right=true\n"
                      "self int64 () fill=ones\nboundaries int8 (3) fill=ones\n"),
            std::vector<double>{3});
}

TEST(Bucketize, NumbersBeyondTheDtypeOfTheBoundariesHaveTheirPlace) {
  constexpr std::string_view kCase =
      "bucketize.Scalar functional out_int32=false right=false\n"
      "self int64 () fill=hash1\nboundaries uint8 (2) fill=sorted1\n";
  const auto place = [&](std::int64_t number) {
    return bits_of<std::int64_t>(
        oracle_of(kCase, {bytes_of<std::int64_t>({number}), bytes_of<std::uint8_t>({1, 100})}))[0];
  };
  EXPECT_EQ(place(300), 2);
  EXPECT_EQ(place(-1), 0);
  const Case c = written(kCase);
  EXPECT_TRUE(operator_of(c).aten_only(c));
  std::int64_t number = 0;
  write_fill(c, 0, reinterpret_cast<std::byte*>(&number));
  EXPECT_TRUE(number < 0 || number > 255) << "64 bits at random";
}

TEST(Bucketize, RulesApplyWhereATenLooks) {
  RuleCases rules("bucketize");
  constexpr std::string_view kTensor = ".Tensor functional out_int32=false right=false",
                             kOutForm = ".Tensor out out_int32=false right=false",
                             kNumber = ".Scalar out out_int32=false right=false";
  constexpr std::string_view kPlain =
      "self int64 (3) fill=searched1\nboundaries int64 (4) fill=sorted1\n";
  constexpr std::string_view kOut =
      "self int64 (3) fill=searched1\nboundaries int64 (4) fill=sorted1\nout int64 (3)\n";
  constexpr std::string_view kOne =
      "self int64 () fill=ones\nboundaries int64 (4) fill=sorted1\nout int64 ()\n";
  EXPECT_EQ(rules.applies("boundaries_rank", kTensor, kPlain).operands[1].shape, (Dims{4, 1}));
  EXPECT_EQ(rules.applies("boundaries_rank_lower", kTensor, kPlain).operands[1].shape, Dims{});
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kTensor, kPlain);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", kNumber, kOne);
  EXPECT_EQ(rules.applies("out_is_boundaries", kOutForm, kOut).operands[2].shares_memory_with, 1);
  rules.does_not_apply("out_is_boundaries", kTensor, kPlain);
  EXPECT_EQ(rules.applies("out_is_self", kOutForm, kOut).operands[2].shares_memory_with, 0);
  rules.does_not_apply("out_is_self", kNumber, kOne);
  rules.all_tried({"boundaries_rank", "boundaries_rank_lower"});
}

}  // namespace
}  // namespace indexfuzz
