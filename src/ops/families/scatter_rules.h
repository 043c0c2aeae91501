#pragma once
// The illegal rules of scatter_add and scatter_reduce.

#include <algorithm>

#include "ops/families/along_dim.h"
#include "ops/families/self_dim.h"
#include "ops/illegal.h"

namespace indexfuzz {

inline constexpr int kScatterSelf = 0, kScatterIndex = 1, kScatterSrc = 2;  // operands
inline constexpr int kScatterDim = 0;                                       // attribute

inline constexpr IllegalRule kScatterRules[] = {
    {1, "index_below", [](Case& c) { return poke_index(c, kScatterIndex, -1); }},
    {2, "index_above",
     [](Case& c) { return poke_index(c, kScatterIndex, bound_along_dim(c, kScatterIndex)); }},
    {3, "index_rank",
     [](Case& c) {
       return has_indices(c) &&
              add_dimension(c, kScatterIndex,
                            std::max(rank(c.operands[kScatterSelf].shape), 1) + 1);
     }},
    {4, "index_dtype", [](Case& c) { return has_indices(c) && become_floating(c, kScatterIndex); }},
    {5, "dim_above", [](Case& c) { return dim_beyond(c, kScatterDim, kScatterSelf); }},
    {6, "index_beyond_self", [](Case& c) { return exceed_self(c, kScatterIndex, dim_of(c)); }},
    {7, "index_beyond_src",
     [](Case& c) { return exceed_source(c, kScatterIndex, kScatterSrc, dim_of(c)); }},
    {8, "src_dtype",
     [](Case& c) { return has_indices(c) && mismatch_dtype(c, kScatterSrc, kScatterSelf); }},
    {9, "self_overlaps_itself", [](Case& c) { return has_indices(c) && overlap_written(c); }},
    {10, "self_is_src",
     [](Case& c) {
       return has_indices(c) && c.variant == Variant::kInPlace && share_memory(c, kScatterSrc);
     }},
    {11, "out_dtype", change_out_dtype},
    {12, "self_empty",
     [](Case& c) { return has_indices(c) && empty_written_dimension(c, dim_of(c)); }, kByValue,
     kATenOnly},
    {13, "out_is_src",
     [](Case& c) {
       return has_indices(c) && c.variant == Variant::kOut && share_memory(c, kScatterSrc);
     }},
    {14, "index_is_written", [](Case& c) { return share_memory(c, kScatterIndex); }},
    {15, "dim_below", [](Case& c) { return dim_below(c, kScatterDim, kScatterSelf); }},
    // Ranks 0 and 1 count as equal, so that only ranks from 2 on can be lowered.
    {16, "index_rank_lower",
     [](Case& c) { return has_indices(c) && remove_dimension(c, kScatterIndex, 2); }},
    {17, "src_rank",
     [](Case& c) {
       return has_indices(c) &&
              add_dimension(c, kScatterSrc, std::max(rank(c.operands[kScatterSelf].shape), 1) + 1);
     }},
    {18, "src_rank_lower",
     [](Case& c) { return has_indices(c) && remove_dimension(c, kScatterSrc, 2); }},
    {19, "index_dtype_narrow",
     [](Case& c) { return has_indices(c) && become_narrow(c, kScatterIndex); }, !kByValue,
     kATenOnly},
};

}  // namespace indexfuzz
