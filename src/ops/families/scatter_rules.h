#pragma once
// The illegal rules of scatter_add and scatter_reduce.

#include "ops/definition/operator.h"
#include "ops/families/along_dim.h"
#include "ops/families/along_dim_rules.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"

namespace indexfuzz {

/// The operands.
namespace scatter {
inline constexpr int kSelf = 0, kIndex = 1, kSrc = 2;
}  // namespace scatter

inline constexpr IllegalRule kScatterRules[] = {
    {1, "index_below", along_dim_rules::index_below},
    {2, "index_above", along_dim_rules::index_above},
    {3, "index_rank", along_dim_rules::index_rank},
    {4, "index_dtype", along_dim_rules::index_dtype},
    {5, "dim_above", dim_above},
    {6, "index_beyond_self", along_dim_rules::index_beyond_self},
    {7, "index_beyond_src", along_dim_rules::index_beyond_src},
    {8, "src_dtype",
     [](Case& c) { return has_indices(c) && mismatch_dtype(c, scatter::kSrc, scatter::kSelf); }},
    {9, "self_overlaps_itself", [](Case& c) { return has_indices(c) && overlap_written(c); }},
    {10, "self_is_src",
     [](Case& c) {
       return has_indices(c) && c.variant == Variant::kInPlace && share_memory(c, scatter::kSrc);
     }},
    {11, "out_dtype", change_out_dtype},
    {12, "self_empty", along_dim_rules::self_empty, kByValue | kATenOnly},
    {13, "out_is_src",
     [](Case& c) {
       return has_indices(c) && c.variant == Variant::kOut && share_memory(c, scatter::kSrc);
     }},
    {14, "index_is_written", [](Case& c) { return share_memory(c, scatter::kIndex); }},
    {15, "dim_below", dim_below},
    {16, "index_rank_lower", along_dim_rules::index_rank_lower},
    {17, "src_rank", along_dim_rules::src_rank},
    {18, "src_rank_lower", along_dim_rules::src_rank_lower},
    {19, "index_dtype_narrow", along_dim_rules::index_dtype_narrow, kATenOnly},
};

}  // namespace indexfuzz
