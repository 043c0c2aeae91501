#pragma once
// Contracts for tests.

#include <gtest/gtest.h>

#include <string_view>

#include "ops/contract/parse_contract.h"

namespace indexfuzz {

inline ParsedContract parse(std::string_view text) {
  return parse_contract(text, "c.toml", operators());
}

/// The contract that the text is; it must be one.
inline Contract contract_of(std::string_view text) {
  const ParsedContract parsed = parse(text);
  EXPECT_EQ(parsed.error, "") << text;
  return parsed.contract;
}

}  // namespace indexfuzz
