#pragma once
// Brings cases into a contract.

#include "case/case.h"
#include "case/contract.h"

namespace indexfuzz {

/// Changes what a legal case does not keep of the contract. The result need not be legal, and once
/// it is repaired it need not keep the contract: see repair().
void narrow(const Contract& contract, Case& c);

}  // namespace indexfuzz
