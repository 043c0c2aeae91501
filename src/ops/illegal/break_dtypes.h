#pragma once
// Ways to break a rule by an operand of another dtype. Each changes a legal case and returns
// whether it could.

#include "ops/definition/operator.h"

namespace indexfuzz {

/// Gives an operand that the call converts to `target` a complex dtype and value; false if `target`
/// is complex, or bool, for which only being zero or not counts.
bool make_complex(Case& c, int operand, Dtype target);
/// Gives the operand another dtype, and zeros; false if it has that dtype already.
bool change_dtype(Case& c, int operand, Dtype dtype);
/// Gives an operand of indices or flags a floating-point dtype, which no kernel accepts for them.
bool become_floating(Case& c, int operand);
/// Gives an operand of indices a signed integer dtype of 8 or 16 bits, which ATen has no indices
/// of; a custom kernel may well take it.
bool become_narrow(Case& c, int operand);
/// Gives the operand a dtype other than that of operand `other`.
bool mismatch_dtype(Case& c, int operand, int other);
/// Gives `out` another dtype; false for other variants.
bool change_out_dtype(Case& c);

}  // namespace indexfuzz
