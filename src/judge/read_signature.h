#pragma once
// A signature's text, read back.

#include <optional>
#include <string>
#include <string_view>

#include "judge/signature.h"

namespace indexfuzz {

/// What a signature was made of, beside its minimal case.
struct SignedFailure {
  std::string implementation;
  Verdict verdict;  ///< kind, operand, signal, message and error class; no elements
  TraitSet essential;
};

/// None where `signature` would not make exactly this text of the case and what was read: the text
/// is of another case, or of another version of indexfuzz, or tells of calls before it.
std::optional<SignedFailure> read_signature(std::string_view text, const Case& minimal);

}  // namespace indexfuzz
