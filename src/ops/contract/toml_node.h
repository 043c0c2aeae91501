#pragma once
// Reads the nodes of a contract's TOML.

#include <toml++/toml.h>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "case/dtype.h"

namespace indexfuzz {

/// What is wrong with a contract, and where. Caught by parse_contract().
struct WrongNode {
  toml::source_region where;
  std::string what;  ///< a sentence without a full stop
};
[[noreturn]] void fail(const toml::node& node, std::string what);

/// "; did you mean rank?", or what there is.
std::string hint(std::string_view name, const std::vector<std::string>& all);

/// A number of 0 or more. Throws WrongNode, as do all that follow.
std::int64_t number_of(const toml::node& node, std::string_view term);
Dtype dtype_of(const toml::node& node);

}  // namespace indexfuzz
