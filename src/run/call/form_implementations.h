#pragma once
// `form:NAME` as implementations.

#include <span>
#include <string>
#include <vector>

#include "run/call/implementation.h"

namespace indexfuzz {

/// "form:gather_as_index", …: the forms that one of these operators has.
std::vector<std::string> form_names(std::span<const OperatorInfo* const> requested);

/// Adds the form of this name; returns one sentence if it cannot, else nothing.
std::string add_form(std::vector<Implementation>& implementations, const std::string& name,
                     std::span<const OperatorInfo* const> requested);

}  // namespace indexfuzz
