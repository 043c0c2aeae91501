// max_unpool2d's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order.

#include <set>

#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(MaxUnpool2d, ElementsGoToTheirPlacesInAPlaneOfZeros) {
  constexpr std::string_view kCase =
      "max_unpool2d functional output_height=2 output_width=3\n"
      "self float32 (1, 2, 2)\nindices int64 (1, 2, 2) fill=descending\n";
  EXPECT_EQ(oracle_of(kCase), (List{0, 0, 4, 3, 2, 1}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{1, 2, 3}));
}

TEST(MaxUnpool2d, EachPlaneHasIndicesOfItsOwn) {
  // The indices are 0, 1, 2, 3, 0, 1: two of them to each of three planes.
  constexpr std::string_view kCase =
      "max_unpool2d functional output_height=2 output_width=2\n"
      "self float32 (1, 3, 1, 2)\nindices int64 (1, 3, 1, 2) fill=ascending\n";
  EXPECT_EQ(oracle_of(kCase), (List{1, 2, 0, 0, 0, 0, 3, 4, 5, 6, 0, 0}));
  EXPECT_EQ(result_shape_of(kCase), (Dims{1, 3, 2, 2}));
}

TEST(MaxUnpool2d, PlanesMayShrink) {
  EXPECT_EQ(oracle_of("max_unpool2d functional output_height=1 output_width=1\n"
                      "self float32 (2, 1, 1)\nindices int64 (2, 1, 1) fill=first\n"),
            (List{1, 2}));
}

TEST(MaxUnpool2d, ABatchMayBeEmpty) {
  constexpr std::string_view kCase =
      "max_unpool2d functional output_height=2 output_width=3\n"
      "self float32 (0, 2, 1, 1)\nindices int64 (0, 2, 1, 1) fill=first\n";
  EXPECT_THAT(oracle_of(kCase), IsEmpty());
  EXPECT_EQ(result_shape_of(kCase), (Dims{0, 2, 2, 3}));
  EXPECT_THAT(error_of("max_unpool2d functional output_height=2 output_width=3\n"
                       "self float32 (1, 0, 1, 1)\nindices int64 (1, 0, 1, 1) fill=first\n"),
              HasSubstr("self: its shape must be (1, 1, 1, 1)"));
}

TEST(MaxUnpool2d, IndicesAreInt64OfSelfsShape) {
  EXPECT_THAT(error_of("max_unpool2d functional output_height=1 output_width=1\n"
                       "self float32 (1, 1, 1)\nindices int32 (1, 1, 1) fill=first\n"),
              HasSubstr("indices: its dtype must be int64"));
  EXPECT_THAT(error_of("max_unpool2d functional output_height=1 output_width=1\n"
                       "self float32 (1, 1, 1)\nindices int64 (1, 1, 2) fill=first\n"),
              HasSubstr("indices: its shape must be (1, 1, 1)"));
}

TEST(MaxUnpool2d, MovesBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of(
                  "max_unpool2d functional output_height=1 output_width=3\n"
                  "self float16 (1, 1, 2)\nindices int64 (1, 1, 2) fill=first\n",
                  {bytes_of<std::uint16_t>({0x8000, 0x7C01}), bytes_of<std::int64_t>({2, 0})})),
              ElementsAre(0x7C01, 0, 0x8000));
}

TEST(MaxUnpool2d, AnyOfSeveralValuesForOnePlaceMayWin) {
  const Expectation e =
      expectation(written("max_unpool2d functional output_height=1 output_width=2\n"
                          "self float32 (1, 1, 3)\nindices int64 (1, 1, 3) fill=last\n"));
  EXPECT_EQ(operator_of(e.c).agreement(e.c), Agreement::kAnyContributor);
}

TEST(MaxUnpool2d, RulesApplyWhereATenLooks) {
  RuleCases rules("max_unpool2d");
  constexpr std::string_view kCall = "functional output_height=2 output_width=3",
                             kOutForm = "out output_height=2 output_width=3";
  constexpr std::string_view kPlane =
      "self float32 (1, 2, 2)\nindices int64 (1, 2, 2) fill=first\n";
  constexpr std::string_view kBatch =
      "self float32 (1, 1, 2, 2)\nindices int64 (1, 1, 2, 2) fill=first\n";
  constexpr std::string_view kEmpty =
      "self float32 (0, 2, 2)\nindices int64 (0, 2, 2) fill=first\n";
  constexpr std::string_view kOut =
      "self float32 (1, 2, 2)\nindices int64 (1, 2, 2) fill=first\nout float32 (1, 2, 3)\n";
  constexpr std::string_view kResized =
      "self float32 (1, 2, 2)\nindices int64 (1, 2, 2) fill=first\nout float32 (0)\n";
  EXPECT_EQ(rules.applies("index_below", kCall, kPlane).operands[1].poke_value, -1);
  rules.does_not_apply("index_below", kCall, kEmpty);
  EXPECT_EQ(rules.applies("index_above", kCall, kPlane).operands[1].poke_value, 6);
  rules.does_not_apply("index_above", kCall, kEmpty);
  EXPECT_EQ(rules.applies("index_dtype", kCall, kPlane).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("indices_shape", kCall, kPlane).operands[1].shape, (Dims{1, 2, 3}));
  rules.does_not_apply("indices_shape", kCall, kEmpty);
  std::set<Dims> misshapen;
  for (int seed = 0; seed < 8; ++seed) {
    const std::string flat =
        "self float32 (1, 1, 2)\nindices int64 (1, 1, 2) fill=distinct1 seed=" +
        std::to_string(seed) + "\n";
    misshapen.insert(rules.applies("indices_shape", kCall, flat).operands[1].shape);
  }
  EXPECT_EQ(misshapen, (std::set<Dims>{{1, 1, 3}, {1, 2, 1}}));
  EXPECT_EQ(rules.applies("rank_above", kCall, kBatch).operands[0].shape, (Dims{1, 1, 2, 2, 1}));
  rules.does_not_apply("rank_above", kOutForm, kOut);
  EXPECT_EQ(rules.applies("rank_below", kCall, kPlane).operands[1].shape, (Dims{1, 2}));
  rules.does_not_apply("rank_below", kCall, kBatch);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kCall, kPlane);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", kOutForm, kResized);
  EXPECT_EQ(rules.applies("index_dtype_narrow", kCall, kPlane).operands[1].dtype, Dtype::kInt16);
  EXPECT_EQ(rules.applies("output_size_empty", kCall, kPlane).misfit_list, (MisfitList{0, true}));
  EXPECT_EQ(rules.applies("output_size_longer", kCall, kPlane).misfit_list, (MisfitList{0, false}));
  rules.all_tried({"index_dtype", "index_dtype_narrow", "output_size_empty", "output_size_longer"});
}

}  // namespace
}  // namespace indexfuzz
