#pragma once
// Two names of a failure: the shrink key, which shrinking keeps, and the signature of the minimal
// case.

#include <cstdint>
#include <string>
#include <string_view>

#include "case/case.h"
#include "judge/traits.h"
#include "judge/verdict.h"

namespace indexfuzz {

/// A hash of (implementation, operator, overload, variant, broken rule, kind, error class, signal,
/// role of the operand). `implementation` is the implementation's name.
std::uint64_t shrink_key(const Case& c, const Verdict& verdict, std::string_view implementation);

/// The signature as a person reads it, and its id: 12 hexadecimal digits.
struct Signature {
  std::string text;
  std::string id;
};
/// `calls_before`: how many other calls the process must make before the failing one.
Signature signature(const Case& minimal, const Verdict& verdict, std::string_view implementation,
                    const TraitSet& essential, std::size_t calls_before = 0);

}  // namespace indexfuzz
