#pragma once
// Which dtypes an operator has values of.

#include "case/dtype.h"
#include "ops/operator.h"

namespace indexfuzz {

/// Whether it takes values of any of these dtypes, or none at all, as nonzero. Repair falls back on
/// an operator's own dtypes where limits leave none of them.
bool takes_any(const OperatorInfo& op, DtypeSet dtypes);

}  // namespace indexfuzz
