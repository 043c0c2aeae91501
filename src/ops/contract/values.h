#pragma once
// The arguments of a case that are no tensors, as a contract speaks of them: attributes, and
// operands that are numbers.

#include <string_view>

#include "case/case.h"
#include "case/contract.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

/// Whether the overload has an argument of this name that is no tensor.
bool has_argument(const Overload& overload, std::string_view argument);

/// Whether it is a list of integers.
bool has_list(const Overload& overload, std::string_view argument);

/// Whether a contract can demand this value of it: of operands that are numbers, only 0 and 1. A
/// number stands for a list of sizes that holds nothing else, as PyTorch takes it; a set of
/// dimensions is always written as a list.
bool can_be_passed(const ArgumentValue& value, const Overload& overload, std::string_view argument);

/// Whether the case passes one of the values, or its overload has no such argument.
bool takes_value(const ValueTerms& terms, const Case& c);

/// Whether the case passes one of the values in another spelling: dimensions counted from the other
/// end.
bool takes_alias(const ValueTerms& terms, const Case& c);

/// Makes the case pass one of the values if its overload can be passed one.
void give_value(const ValueTerms& terms, Case& c);

}  // namespace indexfuzz
