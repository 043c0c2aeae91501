#pragma once
// Cases for RapidCheck: drawn by the one generator there is, shrunk by our own candidates.

#include <rapidcheck.h>

#include <iosfwd>
#include <vector>

#include "case/case.h"
#include "case/limits.h"
#include "draw/draw.h"

namespace indexfuzz {

/// Generates legal cases of `targets`, which must not be empty. RapidCheck's size is ignored.
rc::Gen<Case> arbitrary_case(std::vector<Target> targets, const Limits& limits);

/// Prints the case in its text form. RapidCheck finds this function by argument-dependent lookup.
void showValue(const Case& c, std::ostream& out);

}  // namespace indexfuzz

/// Legal cases of every operator, overload and variant under the default limits.
template <>
struct rc::Arbitrary<indexfuzz::Case> {
  static rc::Gen<indexfuzz::Case> arbitrary();
};
