#pragma once
// The text form of a case: what is kept in corpora and findings. Validated when read, never
// repaired. It is in ops/, not in case/, because it names operators, operands and rules.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/definition/operator.h"

namespace indexfuzz {

/// The first line of every case file; a file that begins otherwise is no case file.
inline constexpr std::string_view kCaseHeader = "indexfuzz case 1";

/// The text of one case, header included, ending in a newline. Fields with their default value are
/// left out, except attributes that are choices.
std::string to_text(const Case& c);

/// The text of several cases, which are run in order in one process.
std::string to_text(std::span<const Case> cases);

/// "true", "-1", "none".
std::string attribute_text(const AttributeSpec& spec, std::int64_t value);

struct ParsedCases {
  std::vector<Case> cases;  ///< run in order in one process; the last one is judged
  std::string error;  ///< empty, or one sentence with its line: "line 3: unknown dtype 'float23' …"
};
/// Reads any bytes. A legal file gives at least one case and no error. For a case that is
/// well-formed but not legal, the error says "no longer legal: " and why.
ParsedCases parse_cases(std::string_view text);

/// Empty if the case is legal: `repair` leaves it as it is, and the rule that it names, if any,
/// applies. Otherwise one sentence that says why not.
std::string why_illegal(const Case& c);

}  // namespace indexfuzz
