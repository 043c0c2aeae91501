#pragma once
// Cases for RapidCheck: drawn by the one generator there is, shrunk by our own candidates.

#include <rapidcheck.h>

#include <iosfwd>
#include <vector>

#include "case/case.h"
#include "case/limits.h"
#include "draw/draw.h"

namespace indexfuzz {

/// Legal cases of the targets, at least one. What RapidCheck calls size is not used.
rc::Gen<Case> arbitrary_case(std::vector<Target> targets, const Limits& limits);

/// Prints the text form; found by RapidCheck.
void showValue(const Case& c, std::ostream& out);

}  // namespace indexfuzz

/// Legal cases of every operator, overload and variant under the default limits.
template <>
struct rc::Arbitrary<indexfuzz::Case> {
  static rc::Gen<indexfuzz::Case> arbitrary();
};
