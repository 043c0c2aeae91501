#pragma once
// Which of a contract's values a kernel is passed for arguments that ATen does not have.

#include <ATen/core/dispatch/Dispatcher.h>

#include <span>
#include <string>
#include <vector>

#include "case/contract.h"
#include "ops/definition/operator.h"
#include "run/call/implementation.h"

namespace indexfuzz {

/// One combination: a contract's values, with a single value for each argument that ATen does not
/// have.
struct GivenValues {
  std::vector<ValueTerms> values;
  std::string suffix;  ///< names this combination: "[block=128]"; empty if it is the only one
};

/// All combinations of values that the schemas take; a single one without values if there is no
/// contract.
std::vector<GivenValues> given_values(const Contract* contract,
                                      std::span<const c10::OperatorHandle> schemas,
                                      const OperatorInfo& op);

/// One sentence if the contract names an argument that neither the operators nor the custom kernels
/// have, or if there are no custom kernels; else nothing.
std::string what_contract_misses(const Contract& contract,
                                 std::span<const Implementation> implementations,
                                 std::span<const OperatorInfo* const> requested);

}  // namespace indexfuzz
