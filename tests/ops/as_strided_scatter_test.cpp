// as_strided_scatter's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order, src -1,
// -2, -3, ….

#include <fmt/format.h>

#include <map>

#include "ops/repair/repair.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using List = std::vector<double>;

List in_vector(std::string_view view, std::string_view shape, int count) {
  return oracle_of("as_strided_scatter.vector functional " + std::string(view) + "\nself float32 " +
                   std::string(shape) + "\nsrc float32 (" + std::to_string(count) + ")\n");
}

TEST(AsStridedScatter, ReplacesAVector) {
  EXPECT_EQ(in_vector("length=2 stride=1 storage_offset=1", "(3)", 2), (List{1, -1, -2}));
  EXPECT_EQ(in_vector("length=2 stride=3 storage_offset=2", "(2, 3)", 2),
            (List{1, 2, -1, 4, 5, -2}));
  EXPECT_EQ(in_vector("length=2 stride=2 storage_offset=none", "(3)", 2), (List{-1, 2, -2}));
  EXPECT_EQ(in_vector("length=1 stride=1 storage_offset=0", "()", 1), (List{-1}));
}

TEST(AsStridedScatter, ReplacesAMatrix) {
  EXPECT_EQ(oracle_of("as_strided_scatter.matrix functional rows=2 columns=2 row_stride=1 "
                      "column_stride=3 storage_offset=1\nself int64 (6)\nsrc int64 (2, 2)\n"),
            (List{1, -1, -3, 4, -2, -4}));
}

TEST(AsStridedScatter, AViewWithoutElementsMayLieAnywhere) {
  EXPECT_EQ(in_vector("length=0 stride=9223372036854775807 storage_offset=1", "(2)", 0),
            (List{1, 2}));
  EXPECT_THAT(in_vector("length=0 stride=1 storage_offset=none", "(0, 3)", 0), IsEmpty());
}

TEST(AsStridedScatter, TheStrideOfOneElementIsNotLookedAt) {
  EXPECT_EQ(in_vector("length=1 stride=9223372036854775807 storage_offset=1", "(2)", 1),
            (List{1, -1}));
}

TEST(AsStridedScatter, AnyPlaceOfAnElementMayWin) {
  const Case c = written(
      "as_strided_scatter.matrix functional rows=2 columns=2 row_stride=1 column_stride=1 "
      "storage_offset=1\nself int8 (4)\nsrc int8 (2, 2)\n");
  const std::byte src[] = {std::byte{5}, std::byte{6}, std::byte{7}, std::byte{8}};
  const LogicalOperand operands[] = {{nullptr, 4}, {src, 4}};
  std::multimap<std::int64_t, int> written_values;
  operator_of(c).contributions(
      {c, operands},
      [](void* context, Contribution contribution) {
        static_cast<std::multimap<std::int64_t, int>*>(context)->emplace(
            contribution.element, std::to_integer<int>(*contribution.value));
      },
      &written_values);
  EXPECT_THAT(written_values, UnorderedElementsAre(std::pair{1, 5}, std::pair{2, 6},
                                                   std::pair{2, 7}, std::pair{3, 8}));
  EXPECT_EQ(operator_of(c).agreement(c), Agreement::kAnyContributor);
}

TEST(AsStridedScatter, SelfBeginsWhereItsStorageDoesIfAnOffsetIsGiven) {
  constexpr std::string_view kCall =
      "as_strided_scatter.vector functional length=1 stride=1 storage_offset=none\n";
  constexpr std::string_view kGiven =
      "as_strided_scatter.vector functional length=1 stride=1 storage_offset=1\n";
  EXPECT_THAT(error_of(std::string(kCall) + "self float32 (2) step=(2)\nsrc float32 (1)\n"),
              HasSubstr("self"));
  for (const char* self : {"guard=right", "offset=3"}) {
    const std::string operands = fmt::format("self float32 (2) {}\nsrc float32 (1)\n", self);
    EXPECT_THAT(error_of(std::string(kGiven) + operands), HasSubstr("self"));
    // None means self's own: the first element is replaced wherever it lies.
    EXPECT_EQ(oracle_of(std::string(kCall) + operands), (std::vector<double>{-1, 2}));
  }
  EXPECT_THAT(error_of(std::string(kCall) + "self float32 (2)\nsrc float32 (1) step=(2)\n"),
              IsEmpty());
}

TEST(AsStridedScatter, RepairKeepsTheViewWithinSelf) {
  constexpr std::string_view kMatrix =
      "as_strided_scatter.matrix functional rows=2 columns=2 row_stride=2 column_stride=1 "
      "storage_offset=none\nself float32 (2, 3)\nsrc float32 (2, 2)\n";
  Case c = written(kMatrix);
  c.attributes = {70, 70, 3, 1, -4};
  repair(c, Limits{});
  // From place 4 on there are two columns, and no second row.
  EXPECT_THAT(c.attributes, ElementsAre(1, 1, 3, 1, 4, 0));
  c.attributes = {70, 2, 3, 1, 0};
  repair(c, Limits{});
  EXPECT_THAT(c.attributes, ElementsAre(1, 2, 3, 1, 0, 0));
  c.attributes = {71, 2, 3, 1, 0};
  repair(c, Limits{});
  EXPECT_THAT(c.attributes, ElementsAre(2, 2, 3, 1, 0, 0));
  EXPECT_THAT(c.operands[1].shape, ElementsAre(2, 2));
}

TEST(AsStridedScatter, AViewHasNoMoreElementsThanAnOperandMayHave) {
  Case c = written(
      "as_strided_scatter.matrix functional rows=2 columns=2 row_stride=1 column_stride=1 "
      "storage_offset=none\nself int8 (100)\nsrc int8 (2, 2)\n");
  c.attributes = {50, 50, 1, 1, 0};
  Limits few;
  few.max_elements = 100;
  repair(c, few);
  EXPECT_LE(numel(c.operands[1].shape), 100);
}

TEST(AsStridedScatter, MovesBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint16_t>(oracle_of(
                  "as_strided_scatter.vector functional length=1 stride=1 storage_offset=1\n"
                  "self float16 (2)\nsrc float16 (1)\n",
                  {bytes_of<std::uint16_t>({0x8000, 0}), bytes_of<std::uint16_t>({0x7C01})})),
              ElementsAre(0x8000, 0x7C01));
}

TEST(AsStridedScatter, RulesApplyWhereATenLooks) {
  RuleCases rules("as_strided_scatter");
  constexpr std::string_view kVector = ".vector functional length=2 stride=2 storage_offset=none",
                             kOne = ".vector functional length=1 stride=1 storage_offset=none",
                             kNone = ".vector functional length=0 stride=1 storage_offset=none",
                             kMatrix =
                                 ".matrix functional rows=1 columns=2 row_stride=1 "
                                 "column_stride=1 storage_offset=1",
                             kOutForm = ".vector out length=2 stride=2 storage_offset=none";
  constexpr std::string_view kSelf = "self float32 (5)\nsrc float32 (2)\n",
                             kScalar = "self float32 (5)\nsrc float32 (1)\n",
                             kEmpty = "self float32 (5)\nsrc float32 (0)\n",
                             kRow = "self float32 (5)\nsrc float32 (1, 2)\n",
                             kOut = "self float32 (5)\nsrc float32 (2)\nout float32 (5)\n",
                             kResized = "self float32 (5)\nsrc float32 (2)\nout float32 (0)\n";
  EXPECT_EQ(rules.applies("view_beyond", kVector, kSelf).attributes[2], 3);
  EXPECT_EQ(rules.applies("view_beyond", kMatrix, kRow).attributes[4], 4);
  rules.does_not_apply("view_beyond", kNone, kEmpty);
  EXPECT_EQ(rules.applies("view_far_beyond", kOne, kScalar).attributes[2], (1ll << 31) + 4);
  rules.does_not_apply("view_far_beyond", kNone, kEmpty);
  EXPECT_EQ(rules.applies("view_below", kMatrix, kRow).attributes[4], -1);
  rules.does_not_apply("view_below", kNone, kEmpty);
  EXPECT_EQ(rules.applies("stride_below", kVector, kSelf).attributes[1], -1);
  rules.does_not_apply("stride_below", kOne, kScalar);
  EXPECT_EQ(rules.applies("stride_zero", kMatrix, kRow).attributes[3], 0);
  rules.does_not_apply("stride_zero", kOne, kScalar);
  EXPECT_THAT(rules.applies("src_shape", kVector, kSelf).operands[1].shape, ElementsAre(3));
  EXPECT_THAT(rules.applies("src_rank", kMatrix, kRow).operands[1].shape, ElementsAre(1, 2, 1));
  EXPECT_THAT(rules.applies("src_rank_lower", kMatrix, kRow).operands[1].shape, ElementsAre(1));
  EXPECT_THAT(rules.applies("src_broadcasts", kVector, kSelf).operands[1].shape, ElementsAre(1));
  rules.does_not_apply("src_broadcasts", kOne, kScalar);
  EXPECT_EQ(rules.applies("out_dtype", kOutForm, kOut).operands[2].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", kVector, kSelf);
  EXPECT_TRUE(
      has_expanded(rules.applies("out_overlaps_itself", kOutForm, kOut).operands[2].layout));
  rules.does_not_apply("out_overlaps_itself", kOutForm, kResized);
  rules.all_tried({"src_shape", "src_rank", "src_rank_lower"});
}

}  // namespace
}  // namespace indexfuzz
