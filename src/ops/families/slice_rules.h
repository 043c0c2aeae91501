#pragma once
// The illegal rules of index_add and index_reduce.

#include <algorithm>

#include "ops/families/self_dim.h"
#include "ops/families/slices.h"
#include "ops/illegal.h"

namespace indexfuzz {

inline constexpr int kSlicesSelf = 0, kSlicesIndex = 1, kSlicesSource = 2;  // operands
inline constexpr int kSlicesDim = 0;                                        // attribute

inline constexpr IllegalRule kSliceRules[] = {
    {1, "index_below",
     [](Case& c) { return writes_slices(c, kSlicesIndex) && poke_index(c, kSlicesIndex, -1); }},
    {2, "index_above",
     [](Case& c) {
       return writes_slices(c, kSlicesIndex) &&
              poke_index(c, kSlicesIndex, bound_along_dim(c, kSlicesIndex));
     }},
    {3, "index_rank", [](Case& c) { return add_dimension(c, kSlicesIndex, 2); }},
    {4, "index_dtype", [](Case& c) { return become_floating(c, kSlicesIndex); }},
    {5, "dim_above", [](Case& c) { return dim_beyond(c, kSlicesDim, kSlicesSelf); }},
    {6, "source_dtype", [](Case& c) { return mismatch_dtype(c, kSlicesSource, kSlicesSelf); }},
    // Only ATen distinguishes a source of rank 0 from one slice of rank 1: see rule 18.
    {7, "source_rank",
     [](Case& c) {
       return add_dimension(c, kSlicesSource,
                            std::max(rank(c.operands[kSlicesSource].shape), 1) + 1);
     }},
    {8, "source_count", [](Case& c) { return change_slice_count(c, kSlicesSource, dim_of(c)); }},
    {9, "source_shape", [](Case& c) { return change_slice_shape(c, kSlicesSource, dim_of(c)); }},
    {11, "source_is_written", [](Case& c) { return share_memory(c, kSlicesSource); }},
    {12, "written_overlaps_itself", overlap_written},
    {13, "out_dtype", change_out_dtype},
    {14, "self_empty",
     [](Case& c) {
       return writes_slices(c, kSlicesIndex) && empty_written_dimension(c, dim_of(c));
     },
     kByValue, kATenOnly},
    {15, "index_is_written", [](Case& c) { return share_memory(c, kSlicesIndex); }},
    {16, "dim_below", [](Case& c) { return dim_below(c, kSlicesDim, kSlicesSelf); }},
    {17, "source_rank_lower",
     [](Case& c) {
       const Dims& shape = c.operands[kSlicesSource].shape;
       return (rank(shape) > 1 || numel(shape) != 1) && remove_dimension(c, kSlicesSource, 1);
     }},
    {18, "source_rank_of_one_slice",
     [](Case& c) {
       return add_dimension(c, kSlicesSource, 1) ||
              (numel(c.operands[kSlicesSource].shape) == 1 &&
               rank(c.operands[kSlicesSource].shape) == 1 && remove_dimension(c, kSlicesSource, 1));
     },
     !kByValue, kATenOnly},
    {19, "index_dtype_narrow", [](Case& c) { return become_narrow(c, kSlicesIndex); }, !kByValue,
     kATenOnly},
};

}  // namespace indexfuzz
