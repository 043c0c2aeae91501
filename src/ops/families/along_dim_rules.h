#pragma once
// The illegal rules that gather and the scatter operators share: self is operand 0, the index
// operand 1, src operand 2, dim attribute 0. Each changes a legal case and returns whether it
// could: never with an empty index, of which ATen checks only the shape.

#include "ops/definition/operator.h"

namespace indexfuzz::along_dim_rules {

bool index_below(Case& c);
bool index_above(Case& c);
/// Gives the index a floating-point dtype.
bool index_dtype(Case& c);
bool index_dtype_narrow(Case& c);
/// Give the index or src one dimension more than self, or one less. In place of rank 1, rank 0 is
/// legal too.
bool index_rank(Case& c);
bool index_rank_lower(Case& c);
bool src_rank(Case& c);
bool src_rank_lower(Case& c);
/// Makes the index larger than self in a dimension other than `dim`.
bool index_beyond_self(Case& c);
/// Makes the index larger than src in one dimension, but not larger than self, except in `dim`.
bool index_beyond_src(Case& c);
/// Empties a written self along `dim`.
bool self_empty(Case& c);

}  // namespace indexfuzz::along_dim_rules
