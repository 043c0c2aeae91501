#pragma once
// Checks names that a user typed against those that exist.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/engine.h"

namespace indexfuzz {

/// "there is no operator 'gahter'; did you mean gather?", or a list of all names if none is near.
std::string unknown_name(std::string_view what, std::string_view name,
                         std::span<const std::string> all);
/// "property", "coverage", "both", "random". Throws SetupError.
Engines parse_engines(const std::string& name);
std::vector<std::string> operator_names();
/// Throws SetupError for the first name that is not an operator.
void check_operators(const std::vector<std::string>& names);

}  // namespace indexfuzz
