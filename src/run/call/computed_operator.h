#pragma once
// Which of ATen's operators a registered kernel computes, by its name and its schemas.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "case/contract.h"
#include "ops/definition/operator.h"
#include "run/call/registered.h"

namespace indexfuzz {

/// Sets `op` to the operator that the kernel computes; returns one sentence if none of the
/// operators under test fits, or if several do. `handles`: the kernel's schemas. `given`: see
/// bind(). `to_name`: what to name if several fit.
std::string find_computed(const std::string& name, const KernelName& parsed,
                          const std::vector<c10::OperatorHandle>& handles,
                          std::span<const OperatorInfo* const> requested, const OperatorInfo*& op,
                          std::span<const ValueTerms> given = {},
                          std::string_view to_name = "the one operator that it computes");

/// A sentence that says that an implementation's operator is not under test. `what`: "computes
/// gather".
std::string not_requested(const std::string& name, const std::string& what,
                          std::span<const OperatorInfo* const> requested);

/// "gather, take".
std::string names_of(std::span<const OperatorInfo* const> list);

}  // namespace indexfuzz
