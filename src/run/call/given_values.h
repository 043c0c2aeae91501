#pragma once
// Which of a contract's values a kernel is passed for arguments that ATen does not have.

#include <ATen/core/dispatch/Dispatcher.h>

#include <span>
#include <string>
#include <vector>

#include "case/contract.h"
#include "ops/operator.h"
#include "run/call/implementation.h"

namespace indexfuzz {

/// A contract's values, with one value for each of those arguments.
struct GivenValues {
  std::vector<ValueTerms> values;
  std::string suffix;  ///< tells it from the others: "[block=128]"; empty if there are no others
};

/// Each combination of the values that the kernel's schemas take; one without values if there is no
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
