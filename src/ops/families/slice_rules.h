#pragma once
// The illegal rules that index_select and the index_* operators that write share: self is operand
// 0, the index operand 1, source operand 2, dim attribute 0. Each changes a legal case and returns
// whether it could.

#include "ops/definition/operator.h"
#include "ops/families/self_dim.h"
#include "ops/families/slices.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"

namespace indexfuzz {
namespace slice_rules {

/// These need a self and an index that are not empty; else ATen does not look at the indices.
bool index_below(Case& c);
bool index_above(Case& c);
/// Empties a written self along `dim`.
bool self_empty(Case& c);

/// Gives the index two dimensions.
bool index_rank(Case& c);
/// Gives the index a floating-point dtype.
bool index_dtype(Case& c);
bool index_dtype_narrow(Case& c);
bool index_is_written(Case& c);

/// Gives the source another dtype than self's.
bool source_dtype(Case& c);
/// Gives the source one dimension more than it has, or a second one if it has none.
bool source_rank(Case& c);
/// Gives a source of one slice rank 1 in place of 0, or 0 in place of 1.
bool source_rank_of_one_slice(Case& c);
/// Takes the source's last dimension. In place of one slice of rank 1, one of rank 0 is legal too.
bool source_rank_lower(Case& c);
/// Gives the source one slice more or less than there are indices; false if it has rank 0.
bool source_count(Case& c);
/// Gives the source's slices another shape than self's; false if they have rank 0.
bool source_shape(Case& c);
bool source_is_written(Case& c);

}  // namespace slice_rules

/// The rules of index_add and index_reduce.
inline constexpr IllegalRule kSliceRules[] = {
    {1, "index_below", slice_rules::index_below},
    {2, "index_above", slice_rules::index_above},
    {3, "index_rank", slice_rules::index_rank},
    {4, "index_dtype", slice_rules::index_dtype},
    {5, "dim_above", dim_above},
    {6, "source_dtype", slice_rules::source_dtype},
    // Only ATen distinguishes a source of rank 0 from one slice of rank 1: see rule 18.
    {7, "source_rank", slice_rules::source_rank},
    {8, "source_count", slice_rules::source_count},
    {9, "source_shape", slice_rules::source_shape},
    {11, "source_is_written", slice_rules::source_is_written},
    {12, "written_overlaps_itself", overlap_written},
    {13, "out_dtype", change_out_dtype},
    {14, "self_empty", slice_rules::self_empty, kByValue | kATenOnly},
    {15, "index_is_written", slice_rules::index_is_written},
    {16, "dim_below", dim_below},
    {17, "source_rank_lower", slice_rules::source_rank_lower},
    {18, "source_rank_of_one_slice", slice_rules::source_rank_of_one_slice, kATenOnly},
    {19, "index_dtype_narrow", slice_rules::index_dtype_narrow, kATenOnly},
};

}  // namespace indexfuzz
