// Numbers that stored bytes hold: an operator, a rule or a dtype keeps its own for ever.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "case/dtype.h"
#include "case/fill.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

using ::testing::StartsWith;

/// "gather 2: 1 index_below 2 index_above", by number.
std::string numbers_of(const OperatorInfo& row) {
  std::vector<std::pair<int, std::string_view>> rules;
  for (const IllegalRule& rule : row.rules) rules.emplace_back(rule.number, rule.name);
  std::ranges::sort(rules);
  std::string text = fmt::format("{} {}:", row.name, row.number);
  for (const auto& [number, name] : rules) text += fmt::format(" {} {}", number, name);
  return text;
}

// What is stored already; new operators and new rules get numbers of their own.
constexpr std::string_view kFrozen[] = {
    "adaptive_max_pool2d_backward 45: 1 index_below 2 index_above 3 index_dtype 4 indices_shape 5 "
    "grad_dtype 6 planes_above 7 planes_below 8 grad_rank 9 rank_above 10 rank_below 11 grad_empty "
    "12 self_empty 13 out_dtype 14 out_overlaps_itself 15 index_dtype_narrow",
    "adaptive_max_pool3d_backward 47: 1 index_below 2 index_above 3 index_dtype 4 indices_shape "
    "5 grad_dtype 6 planes_above 7 planes_below 8 grad_rank 9 rank_above 10 rank_below 11 "
    "grad_empty 12 self_empty 13 out_dtype 14 out_overlaps_itself 15 index_dtype_narrow",
    "as_strided_scatter 46: 1 view_beyond 2 view_far_beyond 3 view_below 4 stride_below 5 "
    "stride_zero 6 src_shape 7 src_rank 8 src_rank_lower 9 src_broadcasts 10 out_dtype 11 "
    "out_overlaps_itself",
    "bincount 42: 1 self_negative 2 self_dtype 3 self_rank 4 self_rank_lower 5 minlength_below 6 "
    "weights_count 7 weights_count_lower 8 weights_rank 9 out_dtype 10 out_overlaps_itself",
    "bucketize 29: 1 boundaries_rank 2 boundaries_rank_lower 3 out_dtype 4 out_overlaps_itself "
    "5 out_is_boundaries 6 out_is_self",
    "cat 32: 1 dim_above 2 dim_below 3 rank_higher 4 rank_lower 5 size_beside_dim 6 no_promotion 7 "
    "out_dtype 8 out_overlaps_itself 9 out_is_entry 10 sizes_of_one_product 11 "
    "entries_of_rank_zero",
    "col2im 62: 1 self_empty 2 rank_above 3 rank_below 4 kernel_zero 5 dilation_zero 6 "
    "padding_below 7 stride_zero 8 kernel_size_empty 9 kernel_size_longer 10 dilation_empty 11 "
    "dilation_longer 12 padding_empty 13 padding_longer 14 stride_empty 15 stride_longer 16 "
    "out_dtype 17 out_overlaps_itself 18 columns_above 19 columns_below 20 rows_above 21 "
    "output_zero 22 output_size_empty 23 output_size_longer",
    "constant_pad_nd 57: 1 rank_below 2 cut_off_too_many 3 cut_off_added 4 padding_overflows 5 "
    "value_complex 6 value_overflows 7 out_dtype 8 out_overlaps_itself 9 padding_odd",
    "cummax 67: 1 dim_above 2 dim_below 3 out_dtype 4 out_overlaps_itself",
    "cummin 68: 1 dim_above 2 dim_below 3 out_dtype 4 out_overlaps_itself",
    "diagonal_scatter 39: 1 dim_above 2 dim_below 3 dims_identical 4 src_shape 5 src_rank 6 "
    "src_rank_lower 7 src_broadcasts 8 out_dtype 9 out_overlaps_itself",
    "embedding 17: 1 index_below 2 index_above 3 index_dtype 4 weight_rank 5 out_dtype 6 "
    "out_overlaps_itself 7 weight_empty 8 weight_rank_lower 9 index_dtype_narrow",
    "embedding_bag 22: 1 index_below 2 index_above 3 index_dtype 4 offsets_fall 5 offset_below "
    "6 offset_above 7 weight_rank 8 sample_weights_count 9 sample_weights_dtype 10 no_offsets "
    "11 mode_unknown 12 offsets_begin_later 13 index_dtype_narrow 14 padding_above 15 "
    "padding_below",
    "embedding_dense_backward 21: 1 index_below 2 index_above 3 index_dtype 4 grad_rows 5 "
    "out_dtype 6 out_overlaps_itself 7 index_dtype_narrow",
    "flip 26: 1 dim_above 2 dim_below 3 dim_twice 4 out_dtype 5 out_overlaps_itself",
    "fractional_max_pool2d_backward 48: 1 index_below 2 index_above 3 index_dtype 4 "
    "indices_shape 5 grad_dtype 6 planes_above 7 planes_below 8 grad_rank 9 rank_above 10 "
    "rank_below 12 self_empty 13 out_dtype 14 out_overlaps_itself 15 index_dtype_narrow 16 "
    "output_size 17 output_size_empty 18 output_size_longer",
    "fractional_max_pool3d_backward 49: 1 index_below 2 index_above 3 index_dtype 4 "
    "indices_shape 5 grad_dtype 6 planes_above 7 planes_below 8 grad_rank 9 rank_above 10 "
    "rank_below 12 self_empty 13 out_dtype 14 out_overlaps_itself 15 index_dtype_narrow 16 "
    "output_size 17 output_size_empty 18 output_size_longer",
    "gather 2: 1 index_below 2 index_above 3 index_rank 4 index_dtype 5 dim_above 6 "
    "index_beyond_self 7 out_dtype 8 out_overlaps_itself 9 out_is_self 10 self_empty 11 "
    "dim_below 12 index_rank_lower 13 index_dtype_narrow",
    "im2col 61: 1 self_empty 2 rank_above 3 rank_below 4 kernel_zero 5 dilation_zero 6 "
    "padding_below 7 stride_zero 8 kernel_size_empty 9 kernel_size_longer 10 dilation_empty 11 "
    "dilation_longer 12 padding_empty 13 padding_longer 14 stride_empty 15 stride_longer 16 "
    "out_dtype 17 out_overlaps_itself 18 kernel_above",
    "index 14: 1 index_below 2 index_above 3 index_dtype 4 mask_shape 5 too_many_indices 6 "
    "indices_shape 7 out_dtype 8 out_overlaps_itself 9 out_is_self 10 out_is_index 11 "
    "self_empty 12 later_index_below 13 later_index_above 14 later_index_dtype 15 mask_longer "
    "16 mask_shorter 17 mask_counts 18 no_indices 19 index_dtype_narrow",
    "index_add 12: 1 index_below 2 index_above 3 index_rank 4 index_dtype 5 dim_above 6 "
    "source_dtype 7 source_rank 8 source_count 9 source_shape 10 alpha_complex 11 "
    "source_is_written 12 written_overlaps_itself 13 out_dtype 14 self_empty 15 "
    "index_is_written 16 dim_below 17 source_rank_lower 18 source_rank_of_one_slice 19 "
    "index_dtype_narrow",
    "index_copy 11: 1 index_below 2 index_above 3 index_rank 4 index_dtype 5 dim_above 6 "
    "source_dtype 7 source_rank 8 source_count 9 source_shape 10 source_is_written 11 "
    "written_overlaps_itself 12 out_dtype 13 self_empty 14 index_is_written 15 dim_below 16 "
    "source_rank_lower 17 index_dtype_narrow",
    "index_fill 10: 1 index_below 2 index_above 3 index_rank 4 index_dtype 5 dim_above 6 "
    "value_rank 7 value_complex 8 self_is_index 9 out_dtype 10 out_overlaps_itself 11 "
    "self_empty 12 value_overflows 13 dim_below 14 self_overlaps_itself 15 index_dtype_narrow",
    "index_put 4: 1 index_below 2 index_above 3 index_dtype 4 values_dtype 5 values_shape 6 "
    "mask_shape 7 too_many_indices 8 self_is_values 9 self_overlaps_itself 10 self_empty 11 "
    "later_index_below 12 later_index_above 13 later_index_dtype 14 mask_longer 15 mask_shorter "
    "16 self_is_index 17 indices_shape 18 values_shape_in_front 19 mask_counts 20 no_indices 21 "
    "index_dtype_narrow",
    "index_reduce 20: 1 index_below 2 index_above 3 index_rank 4 index_dtype 5 dim_above 6 "
    "source_dtype 7 source_rank 8 source_count 9 source_shape 11 source_is_written 12 "
    "written_overlaps_itself 13 out_dtype 14 self_empty 15 index_is_written 16 dim_below 17 "
    "source_rank_lower 18 source_rank_of_one_slice 19 index_dtype_narrow 20 reduce_unknown",
    "index_select 1: 1 index_below 2 index_above 3 index_rank 4 index_dtype 5 dim_above 6 "
    "out_dtype 7 out_overlaps_itself 8 out_is_self 9 scalar_takes_one_index 10 self_empty 11 "
    "out_is_index 12 dim_below 13 index_dtype_narrow",
    "masked_fill 5: 1 mask_dtype 2 mask_shape 3 mask_larger_than_self 4 value_rank 5 "
    "value_complex 6 out_dtype 7 out_overlaps_itself 8 value_overflows 9 mask_shape_in_front 10 "
    "mask_rank 11 self_overlaps_itself 12 mask_is_written",
    "masked_scatter 7: 1 mask_dtype 2 mask_shape 3 mask_larger_than_self 4 source_dtype 5 "
    "source_too_short 6 self_overlaps_itself 7 out_dtype 8 out_overlaps_itself 9 "
    "mask_shape_in_front 10 mask_rank 11 source_is_written",
    "masked_select 6: 1 mask_dtype 2 mask_shape 3 out_dtype 4 out_overlaps_itself 5 out_is_self "
    "6 out_is_mask 7 mask_shape_in_front",
    "max_pool2d_with_indices 64: 1 rank_above 2 rank_below 3 self_empty 4 window_zero 5 "
    "window_above 6 stride_zero 7 dilation_zero 8 padding_above 9 padding_below 10 "
    "kernel_size_empty 11 kernel_size_longer 12 stride_longer 13 padding_empty 14 "
    "dilation_empty 15 out_dtype 16 out_overlaps_itself",
    "max_pool2d_with_indices_backward 58: 1 index_below 2 index_above 3 index_dtype 4 "
    "indices_shape 5 grad_dtype 6 planes_above 7 planes_below 8 grad_rank 9 rank_above 10 "
    "rank_below 12 self_empty 13 out_dtype 14 out_overlaps_itself 15 index_dtype_narrow 16 "
    "windows_above 17 windows_below 18 window_zero 19 stride_zero 20 dilation_zero 21 "
    "padding_above 22 padding_below 23 kernel_size_empty 24 kernel_size_longer 25 stride_longer "
    "26 padding_empty 27 dilation_empty 28 indices_planes",
    "max_pool3d_with_indices 65: 1 rank_above 2 rank_below 3 self_empty 4 window_zero 5 "
    "window_above 6 stride_zero 7 dilation_zero 8 padding_above 9 padding_below 10 "
    "kernel_size_empty 11 kernel_size_longer 12 stride_longer 13 padding_empty 14 "
    "dilation_empty 15 out_dtype 16 out_overlaps_itself",
    "max_pool3d_with_indices_backward 59: 1 index_below 2 index_above 3 index_dtype 4 "
    "indices_shape 5 grad_dtype 6 planes_above 7 planes_below 8 grad_rank 9 rank_above 10 "
    "rank_below 12 self_empty 13 out_dtype 14 out_overlaps_itself 15 index_dtype_narrow 16 "
    "windows_above 17 windows_below 18 window_zero 19 stride_zero 20 dilation_zero 21 "
    "padding_above 22 padding_below 23 kernel_size_empty 24 kernel_size_longer 25 stride_longer "
    "26 padding_empty 27 dilation_empty 28 indices_planes",
    "max_unpool2d 31: 1 index_below 2 index_above 3 index_dtype 4 indices_shape 5 rank_above 6 "
    "rank_below 7 out_dtype 8 out_overlaps_itself 9 index_dtype_narrow 10 output_size_empty 11 "
    "output_size_longer",
    "max_unpool3d 63: 1 index_below 2 index_above 3 index_dtype 4 indices_shape 5 rank_above 6 "
    "rank_below 7 out_dtype 8 out_overlaps_itself 9 index_dtype_narrow 10 output_size_empty 11 "
    "output_size_longer 12 stride_zero 13 stride_empty 14 stride_longer 15 padding_empty 16 "
    "padding_longer",
    "narrow_copy 30: 1 start_below 2 start_above 3 length_below 4 length_above 5 dim_above 6 "
    "dim_below 7 self_rank 8 out_dtype 9 out_overlaps_itself",
    "nonzero 9: 1 out_dtype 2 out_overlaps_itself 3 out_is_self",
    "nonzero_static 27: 1 size_below 2 out_dtype 3 out_overlaps_itself 4 out_is_self",
    "put 18: 1 index_below 2 index_above 3 index_dtype 4 source_dtype 5 source_longer 6 "
    "self_empty 7 written_overlaps_itself 8 self_is_source 9 self_is_index 10 out_dtype 11 "
    "source_shorter 12 index_dtype_narrow",
    "reflection_pad1d 34: 1 rank_above 2 rank_below 3 self_empty 4 out_dtype 5 out_overlaps_itself "
    "6 padding_as_long 7 padding_empty 8 padding_longer",
    "reflection_pad1d_backward 50: 1 rank_above 2 rank_below 3 self_empty 4 out_dtype 5 "
    "out_overlaps_itself 6 grad_dtype 7 grad_size 8 grad_rank 9 channels_above 10 channels_below "
    "11 batches_above 12 batches_below 13 padding_as_long 14 padding_empty 15 padding_longer",
    "reflection_pad2d 35: 1 rank_above 2 rank_below 3 self_empty 4 out_dtype 5 out_overlaps_itself "
    "6 padding_as_long 7 padding_empty 8 padding_longer",
    "reflection_pad2d_backward 51: 1 rank_above 2 rank_below 3 self_empty 4 out_dtype 5 "
    "out_overlaps_itself 6 grad_dtype 7 grad_size 8 grad_rank 9 channels_above 10 channels_below "
    "11 batches_above 12 batches_below 13 padding_as_long 14 padding_empty 15 padding_longer",
    "repeat_interleave 25: 1 repeats_negative 2 number_negative 3 repeats_dtype 4 repeats_rank "
    "5 repeats_count 6 dim_above 7 dim_below 8 output_size_above 9 output_size_below 10 "
    "out_dtype 11 out_overlaps_itself",
    "reflection_pad3d 43: 1 rank_above 2 rank_below 3 self_empty 4 out_dtype 5 "
    "out_overlaps_itself 6 padding_as_long 7 padding_empty 8 padding_longer",
    "reflection_pad3d_backward 52: 1 rank_above 2 rank_below 3 self_empty 4 out_dtype 5 "
    "out_overlaps_itself 6 grad_dtype 7 grad_size 8 grad_rank 9 channels_above 10 channels_below "
    "11 batches_above 12 batches_below 13 padding_as_long 14 padding_empty 15 padding_longer",
    "replication_pad1d 36: 1 rank_above 2 rank_below 3 self_empty 4 out_dtype 5 "
    "out_overlaps_itself 6 padding_overflows 7 padding_empty 8 padding_longer",
    "replication_pad1d_backward 53: 1 rank_above 2 rank_below 3 self_empty 4 out_dtype 5 "
    "out_overlaps_itself 6 grad_dtype 7 grad_size 8 grad_rank 9 channels_above 10 channels_below "
    "11 batches_above 12 batches_below 14 padding_empty 15 padding_longer",
    "replication_pad2d 37: 1 rank_above 2 rank_below 3 self_empty 4 out_dtype 5 "
    "out_overlaps_itself 6 padding_overflows 7 padding_empty 8 padding_longer",
    "replication_pad2d_backward 54: 1 rank_above 2 rank_below 3 self_empty 4 out_dtype 5 "
    "out_overlaps_itself 6 grad_dtype 7 grad_size 8 grad_rank 9 channels_above 10 channels_below "
    "11 batches_above 12 batches_below 14 padding_empty 15 padding_longer",
    "replication_pad3d 44: 1 rank_above 2 rank_below 3 self_empty 4 out_dtype 5 "
    "out_overlaps_itself 6 padding_overflows 7 padding_empty 8 padding_longer",
    "replication_pad3d_backward 55: 1 rank_above 2 rank_below 3 self_empty 4 out_dtype 5 "
    "out_overlaps_itself 6 grad_dtype 7 grad_size 8 grad_rank 9 channels_above 10 channels_below "
    "11 batches_above 12 batches_below 14 padding_empty 15 padding_longer",
    "roll 41: 1 dim_above 2 dim_below 3 out_dtype 4 out_overlaps_itself",
    "scatter 13: 1 index_below 2 index_above 3 index_rank 4 index_dtype 5 dim_above 6 "
    "index_beyond_self 7 index_beyond_src 8 src_dtype 9 src_rank 10 value_complex 11 "
    "src_is_written 12 written_overlaps_itself 13 out_dtype 14 self_empty 15 value_overflows 16 "
    "index_is_written 17 dim_below 18 index_rank_lower 19 src_rank_lower 20 index_dtype_narrow 21 "
    "reduce_unknown",
    "scatter_add 3: 1 index_below 2 index_above 3 index_rank 4 index_dtype 5 dim_above 6 "
    "index_beyond_self 7 index_beyond_src 8 src_dtype 9 self_overlaps_itself 10 self_is_src 11 "
    "out_dtype 12 self_empty 13 out_is_src 14 index_is_written 15 dim_below 16 index_rank_lower "
    "17 src_rank 18 src_rank_lower 19 index_dtype_narrow",
    "scatter_reduce 19: 1 index_below 2 index_above 3 index_rank 4 index_dtype 5 dim_above 6 "
    "index_beyond_self 7 index_beyond_src 8 src_dtype 9 self_overlaps_itself 10 self_is_src 11 "
    "out_dtype 12 self_empty 13 out_is_src 14 index_is_written 15 dim_below 16 index_rank_lower "
    "17 src_rank 18 src_rank_lower 19 index_dtype_narrow 20 reduce_unknown",
    "searchsorted 28: 1 sequence_rank 2 rows_differ 3 self_rank 4 self_rank_lower 5 out_dtype 6 "
    "out_overlaps_itself 7 out_is_sequence 8 out_is_self 9 sorter_above 10 sorter_below 11 "
    "sorter_dtype 12 sorter_shape 13 side_opposes_right 14 side_unknown",
    "segment_reduce 56: 1 length_negative 2 length_above 3 lengths_fall_short 4 offset_below 5 "
    "offset_above 6 offsets_fall 7 offsets_begin_later 8 offsets_end_early 9 no_offsets 10 "
    "index_dtype 11 index_dtype_narrow 12 axis_above 13 axis_below 14 rank_above 15 rows_above 16 "
    "rows_below 17 out_dtype 18 out_overlaps_itself 19 reduce_unknown",
    "select_scatter 38: 1 index_below 2 index_above 3 dim_above 4 dim_below 5 self_rank 6 "
    "src_shape 7 src_rank 8 src_rank_lower 9 src_broadcasts 10 out_dtype 11 out_overlaps_itself",
    "slice_scatter 40: 1 step_zero 2 step_below 3 dim_above 4 dim_below 5 self_rank 6 src_shape "
    "7 src_rank 8 src_rank_lower 9 src_broadcasts 10 out_dtype 11 out_overlaps_itself",
    "sort 66: 1 dim_above 2 dim_below 3 out_dtype 4 out_overlaps_itself 5 self_complex",
    "stack 33: 1 dim_above 2 dim_below 3 rank_higher 4 rank_lower 5 size 6 no_promotion 7 "
    "out_dtype 8 out_overlaps_itself 9 out_is_entry",
    "take 15: 1 index_below 2 index_above 3 index_dtype 4 self_empty 5 out_dtype 6 "
    "out_overlaps_itself 7 out_is_self 8 out_is_index 9 index_dtype_narrow",
    "take_along_dim 16: 1 index_below 2 index_above 3 index_dtype 4 indices_rank 5 "
    "indices_shape 6 dim_above 7 out_dtype 8 out_overlaps_itself 9 out_is_self 10 self_empty 11 "
    "dim_below 12 indices_rank_lower 13 index_dtype_narrow",
    "topk 69: 1 dim_above 2 dim_below 3 k_above 4 k_below 5 out_dtype 6 out_overlaps_itself 7 "
    "self_complex",
    "tril 23: 1 self_rank 2 out_dtype 3 written_overlaps_itself",
    "triu 24: 1 self_rank 2 out_dtype 3 written_overlaps_itself",
    "unfold_backward 60: 1 dim_above 2 dim_below 3 windows_above 4 size_above 5 step_zero 6 "
    "step_below 7 out_dtype 8 out_overlaps_itself",
    "where 8: 1 condition_dtype 2 condition_shape 3 other_shape 4 no_promotion 5 out_dtype 6 "
    "out_overlaps_itself 7 condition_shape_in_front 8 other_shape_in_front 9 value_overflows",
};

TEST(Numbers, OfOperatorsAndRulesAreFrozen) {
  for (const std::string_view frozen : kFrozen) {
    const OperatorInfo* const row = find_operator(frozen.substr(0, frozen.find(' ')));
    ASSERT_NE(row, nullptr) << frozen;
    EXPECT_THAT(numbers_of(*row), StartsWith(std::string(frozen)));
  }
}

TEST(Numbers, OfFillsAndTheirOrderAreFrozen) {
  std::string all;
  for (const FillInfo& fill : kFills)
    all += fmt::format("{} {} ", static_cast<int>(fill.kind), fill.name);
  EXPECT_THAT(
      all,
      StartsWith("0 index 1 hash1 2 sums1 3 special1 4 zeros 16 first 17 last 18 "
                 "ascending 19 descending 20 "
                 "random1 21 few1 22 distinct1 32 mask_front 33 mask_back 34 "
                 "mask_spread1 35 mask_mixed1 5 "
                 "ones 6 sums2 7 sums3 8 factor1 36 mask_random1 9 sums4 10 between1 "
                 "11 factor2 23 runs1 12 "
                 "products1 24 offsets1 25 offsets2 13 products2 14 lone1 15 special2 "
                 "48 factor3 49 close1 "
                 "50 sums5 51 sums6 52 sorted1 53 searched1 54 sorted2 26 distinct2 27 offsets3 28 "
                 "offsets4 29 counts1 30 offsets5 31 lengths1 55 sorted3 56 sorted4 57 searched2 "
                 "58 wrapped1 59 sums7 60 sums8 "));
}

TEST(Numbers, OfDtypesAreFrozen) {
  std::string all;
  for (const DtypeInfo& dtype : kDtypeInfo) all += std::string(dtype.name) + " ";
  EXPECT_EQ(
      all,
      "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex32 complex64 "
      "complex128 uint16 uint32 uint64 float8_e4m3fn float8_e5m2 float8_e4m3fnuz "
      "float8_e5m2fnuz ");
}

}  // namespace
}  // namespace indexfuzz
