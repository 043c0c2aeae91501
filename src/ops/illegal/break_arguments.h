#pragma once
// Ways to break a rule by an argument that is no tensor. Each changes a legal case and returns
// whether it could.

#include "ops/definition/operator.h"

namespace indexfuzz {

/// Set the dim, attribute 0, beyond what OperatorInfo::dim_operand has, or below the least that
/// counts from its end, sometimes far out. Always true.
bool dim_above(Case& c);
bool dim_below(Case& c);
/// Passes the list that begins with attribute `first` without integers, or with its last one twice.
/// Always true.
bool empty_list(Case& c, int first);
bool lengthen_list(Case& c, int first);
/// Makes a kChoice attribute one that there is not. Always true.
bool choose_unknown(Case& c, int attribute);

}  // namespace indexfuzz
