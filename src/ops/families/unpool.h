#pragma once
// Shared by max_unpool2d and max_unpool3d: planes (in three dimensions volumes) of output_size, all
// zeros but for self's elements: element i of a plane of self goes to element indices[i] of the
// plane at the same place, counted in row-major order.
//
// Agreement: exact, since elements are only moved. If several indices of a plane are the same, any
// of their values may win. A plane may be one of a batch; only the first dimension may have size 0.
// Indices are int64, of self's shape, and never negative. Self has one of ATen's dtypes: floating
// point of more than 8 bits.

#include <cstdint>

#include "ops/definition/operator.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"

namespace indexfuzz {

namespace unpool {
inline constexpr int kSelf = 0, kIndices = 1;
/// The attribute with which the sizes of a plane of the result begin.
inline constexpr int kOutputSize = 0;
}  // namespace unpool
inline constexpr OperandSpec kUnpoolOperands[] = {{"self", Role::kValue},
                                                  {"indices", Role::kIndex}};

/// OperatorInfo::repair, ::result, ::oracle and ::contributions; index_bound is
/// unpooled_plane(). The first attributes are the sizes of a plane of the result.
void repair_unpool(Case& c, const Limits& limits);
ResultSpec unpooled(const Case& c);
void move_to_planes(const OracleInput& input, std::byte* destination);
void unpool_contributions(const OracleInput& input, ContributionSink sink, void* context);

/// The elements of a plane of the result.
std::int64_t unpooled_plane(const Case& c);

/// Gives self and the indices one dimension more than a batch has, or as many as a plane.
bool raise_unpool_ranks(Case& c);
bool lower_unpool_ranks(Case& c);

/// The rules that both operators have, numbers 1 to 11; an operator's own are numbered from 12 on.
inline constexpr IllegalRule kUnpoolRules[] = {
    {1, "index_below", [](Case& c) { return poke_index(c, unpool::kIndices, -1); }},
    {2, "index_above", [](Case& c) { return poke_index(c, unpool::kIndices, unpooled_plane(c)); }},
    {3, "index_dtype", [](Case& c) { return become_floating(c, unpool::kIndices); }},
    {4, "indices_shape", [](Case& c) { return misshape(c, unpool::kIndices); }},
    // A custom kernel may well take planes in any number of dimensions.
    {5, "rank_above", raise_unpool_ranks, kATenOnly},
    {6, "rank_below", lower_unpool_ranks, kATenOnly},
    {7, "out_dtype", change_out_dtype},
    {8, "out_overlaps_itself", overlap_written},
    {9, "index_dtype_narrow", [](Case& c) { return become_narrow(c, unpool::kIndices); },
     kATenOnly},
    {10, "output_size_empty", [](Case& c) { return empty_list(c, unpool::kOutputSize); },
     kATenOnly},
    {11, "output_size_longer", [](Case& c) { return lengthen_list(c, unpool::kOutputSize); },
     kATenOnly},
};

}  // namespace indexfuzz
