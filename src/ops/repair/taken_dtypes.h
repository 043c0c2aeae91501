#pragma once
// Which dtypes an operator's values may have.

#include "case/dtype.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

/// Whether any overload takes values of one of these dtypes, or has no value operands, as nonzero.
/// Repair alone does not tell: it falls back on an operator's own dtypes if limits leave none of
/// them.
bool takes_any(const OperatorInfo& op, DtypeSet dtypes);

}  // namespace indexfuzz
