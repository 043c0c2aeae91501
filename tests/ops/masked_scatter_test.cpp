// masked_scatter's oracle and rules, by hand. self holds 1, 2, 3, … in row-major order, source -1,
// -2, -3, …

#include "ops/families/masked_elements.h"
#include "ops/repair/repair.h"
#include "rule_cases.h"

namespace indexfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using List = std::vector<double>;

TEST(MaskedScatter, ReplacesWhatIsSetByTheFirstOfSource) {
  for (const std::string_view variant : {"functional", "in-place"}) {
    // mask = 0, 1, 0, 1
    EXPECT_EQ(oracle_of("masked_scatter " + std::string(variant) +
                        "\nself float32 (4)\nmask bool (4) fill=mask_spread1 popcount=2\n"
                        "source float32 (2)\n"),
              (List{1, -1, 3, -2}));
  }
}

TEST(MaskedScatter, ReadsSourceInRowMajorOrderWhateverItsShape) {
  constexpr std::string_view kCall =
      "masked_scatter functional\nself int32 (2, 3)\nmask bool (2, 3) fill=mask_back popcount=4\n";
  for (const std::string_view source :
       {"(4)", "(2, 2)", "(1, 4, 1)", "(5)", "(3, 2, 2)", "(2, 2) order=(1, 0)"}) {
    EXPECT_EQ(oracle_of(std::string(kCall) + "source int32 " + std::string(source) + "\n"),
              (List{1, 2, -1, -2, -3, -4}))
        << source;
  }
}

TEST(MaskedScatter, BroadcastsTheMask) {
  EXPECT_EQ(oracle_of("masked_scatter in-place\nself int32 (2, 3)\nmask bool (3) fill=mask_back "
                      "popcount=1\nsource int32 (2)\n"),
            (List{1, 2, -1, 4, 5, -2}));
  EXPECT_EQ(oracle_of("masked_scatter in-place\nself int32 (2, 2)\nmask bool () fill=mask_front "
                      "popcount=1\nsource int32 (4)\n"),
            (List{-1, -2, -3, -4}));
}

TEST(MaskedScatter, BroadcastsSelfToALargerMask) {
  constexpr std::string_view kCall =
      "masked_scatter functional\nself int32 (2, 1)\nmask bool (2, 1, 3) fill=mask_front "
      "popcount=4\nsource int32 (8)\n";
  EXPECT_EQ(result_shape_of(kCall), (Dims{2, 2, 3}));
  EXPECT_EQ(oracle_of(kCall), (List{-1, -2, -3, -4, -5, -6, -7, 1, 1, -8, 2, 2}));
}

TEST(MaskedScatter, TakesScalarsAndEmptyTensors) {
  EXPECT_EQ(oracle_of("masked_scatter functional\nself float64 ()\nmask bool () fill=mask_front "
                      "popcount=1\nsource float64 ()\n"),
            (List{-1}));
  EXPECT_EQ(oracle_of("masked_scatter in-place\nself float64 (2)\nmask bool (2) fill=mask_front\n"
                      "source float64 (0)\n"),
            (List{1, 2}));
  EXPECT_THAT(oracle_of("masked_scatter in-place\nself float64 (0)\nmask bool (1) fill=mask_front "
                        "popcount=1\nsource float64 (0)\n"),
              IsEmpty());
}

TEST(MaskedScatter, MovesBytesUnchanged) {
  EXPECT_THAT(bits_of<std::uint32_t>(oracle_of(
                  "masked_scatter functional\nself float32 (3)\nmask bool (3) fill=mask_front "
                  "popcount=2\nsource float32 (2)\n",
                  {bytes_of<std::uint32_t>({1, 0x7F800001u, 2}), bytes_of<std::uint8_t>({1, 0, 1}),
                   bytes_of<std::uint32_t>({0x80000000u, 0xFF800001u})})),
              ElementsAre(0x80000000u, 0x7F800001u, 0xFF800001u));
}

TEST(MaskedScatter, ASourceThatIsTooShortIsMadeExactlyLongEnough) {
  const auto repaired = [](const Dims& source) {
    Case c = written(
        "masked_scatter in-place\nself float32 (2, 3)\nmask bool (2, 3) fill=mask_front "
        "popcount=6\nsource float32 (6)\n");
    c.operands[2].shape = source;
    repair(c, {});
    return c.operands[2].shape;
  };
  EXPECT_EQ(repaired(Dims{}), Dims{6});
  EXPECT_EQ(repaired({5}), Dims{6});
  EXPECT_EQ(repaired({0}), Dims{6});
  EXPECT_EQ(repaired({1, 5}), (Dims{2, 3}));
  EXPECT_EQ(repaired({1, 2, 2}), (Dims{3, 1, 2}));
  EXPECT_EQ(repaired({7}), Dims{7});
  EXPECT_EQ(repaired({2, 4}), (Dims{2, 4}));
}

TEST(MaskedScatter, IsDrawnWithSourcesOfExactlyTheLengthAndLonger) {
  const std::vector<Target> targets = {
      {find_operator("masked_scatter")->number, 0, Variant::kInPlace}};
  Case c;
  int exact = 0, longer = 0;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    draw_case(1, 0, i, targets, {}, c);
    if (c.breaks != 0) continue;
    const Dims& source = c.operands[2].shape;
    const std::int64_t set = selected_elements(c.operands[0].shape, c.operands[1]);
    ASSERT_GE(numel(source), set);
    exact += set > 1 && numel(source) == set;
    longer += set > 1 && numel(source) > set;
  }
  EXPECT_GT(exact, 800);
  EXPECT_GT(longer, 800);
}

TEST(MaskedScatter, RulesApplyWhereATenLooks) {
  RuleCases rules("masked_scatter");
  constexpr std::string_view kPlain =
      "self float32 (2, 3)\nmask bool (2, 3) fill=mask_front popcount=2\nsource float32 (2, 2)\n";
  constexpr std::string_view kStretched =
      "self float32 (2, 1)\nmask bool (2, 1) fill=mask_front popcount=2\nsource float32 (2)\n";
  constexpr std::string_view kNothingSet =
      "self float32 (2, 3)\nmask bool (2, 3) fill=mask_front\nsource float32 (2)\n";
  constexpr std::string_view kOneElement =
      "self float32 ()\nmask bool () fill=mask_front\nsource float32 (2)\n";
  constexpr std::string_view kOut =
      "self float32 (2, 3)\nmask bool (3) fill=mask_front\nsource float32 ()\nout float32 (2, 3)\n";
  constexpr std::string_view kResized =
      "self float32 (2, 3)\nmask bool (3) fill=mask_front\nsource float32 ()\nout float32 (0)\n";
  EXPECT_EQ(rules.applies("mask_dtype", "in-place", kPlain).operands[1].dtype, Dtype::kFloat);
  EXPECT_EQ(rules.applies("mask_shape", "in-place", kPlain).operands[1].shape, (Dims{2, 4}));
  rules.does_not_apply("mask_shape", "functional", kStretched);
  EXPECT_EQ(rules.applies("mask_shape_in_front", "in-place", kPlain).operands[1].shape.front(), 3);
  rules.does_not_apply(
      "mask_shape_in_front", "functional",
      "self float32 (3)\nmask bool (3) fill=mask_front popcount=1\nsource float32 (2)\n");
  EXPECT_EQ(rules.applies("mask_larger_than_self", "in-place", kPlain).operands[1].shape,
            (Dims{2, 2, 3}));
  rules.does_not_apply("mask_larger_than_self", "functional", kPlain);
  EXPECT_EQ(rules.applies("source_dtype", "functional", kNothingSet).operands[2].dtype,
            Dtype::kInt32);
  EXPECT_EQ(rules.applies("source_too_short", "functional", kPlain).operands[2].shape, Dims{1});
  EXPECT_EQ(rules.applies("source_too_short", "in-place", kStretched).operands[2].shape, Dims{1});
  // Its storage is long enough.
  EXPECT_EQ(rules
                .applies("source_too_short", "in-place",
                         "self float32 (2)\nmask bool (2) fill=mask_front popcount=2\nsource "
                         "float32 (2) after=(3) offset=1\n")
                .operands[2]
                .layout.dims[0]
                .after,
            3);
  rules.does_not_apply("source_too_short", "in-place", kNothingSet);
  EXPECT_TRUE(has_expanded(
      rules.applies("self_overlaps_itself", "in-place", kNothingSet).operands[0].layout));
  rules.does_not_apply("self_overlaps_itself", "in-place", kOneElement);
  rules.does_not_apply("self_overlaps_itself", "functional", kPlain);
  EXPECT_EQ(rules.applies("out_dtype", "out", kOut).operands[3].dtype, Dtype::kDouble);
  rules.does_not_apply("out_dtype", "in-place", kPlain);
  EXPECT_TRUE(has_expanded(rules.applies("out_overlaps_itself", "out", kOut).operands[3].layout));
  rules.does_not_apply("out_overlaps_itself", "out", kResized);
  rules.does_not_apply("out_overlaps_itself", "in-place", kPlain);
  EXPECT_EQ(rules.applies("mask_rank", "in-place", kPlain).operands[1].shape, (Dims{1, 2, 3}));
  rules.does_not_apply("mask_rank", "functional", kPlain);
  EXPECT_EQ(rules.applies("source_is_written", "in-place", kPlain).operands[2].shares_memory_with,
            0);
  rules.does_not_apply("source_is_written", "functional", kPlain);
  rules.all_tried({"mask_dtype", "source_dtype"});
}

}  // namespace
}  // namespace indexfuzz
