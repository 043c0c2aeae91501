#pragma once
// Reads the text of a signature back.

#include <optional>
#include <string>
#include <string_view>

#include "judge/signature.h"

namespace indexfuzz {

/// What a signature was made from, besides the minimal case.
struct SignedFailure {
  std::string implementation;
  Verdict verdict;  ///< kind, operand, signal, message and error class; no elements
  TraitSet essential;
};

/// nullopt if signature() does not make exactly this text from the case and what was read: the text
/// belongs to another case or another version of indexfuzz, or names calls before the failing one.
std::optional<SignedFailure> read_signature(std::string_view text, const Case& minimal);

}  // namespace indexfuzz
