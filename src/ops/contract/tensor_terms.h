#pragma once
// What a contract's table says of a tensor argument.

#include <toml++/toml.h>
#include <string_view>

#include "case/contract.h"

namespace indexfuzz {

/// Throws WrongNode.
TensorTerms tensor_terms(std::string_view argument, const toml::table& table);

}  // namespace indexfuzz
