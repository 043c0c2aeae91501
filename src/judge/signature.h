#pragma once
// Two names of a failure: the shrink key, which shrinking keeps, and the signature of the minimal
// case.

#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "case/case.h"
#include "judge/verdict.h"

namespace indexfuzz {

/// (operator, overload, variant, broken rule, kind, error class or signal, role of the operand) as
/// one hash. `implementation` is its name.
std::uint64_t shrink_key(const Case& c, const Verdict& verdict, std::string_view implementation);

/// One way in which a case departs from the plainest one, e.g. "self is strided".
using Trait = std::uint16_t;
using TraitSet = boost::container::static_vector<Trait, 192>;  ///< sorted
TraitSet traits(const Case& c);
/// Besides, "self is 2-dimensional": what every case has in one way or another and no signature
/// names, but a kernel may want. Not to be reset.
TraitSet traits_and_ranks(const Case& c);
bool includes(const TraitSet& all, const TraitSet& some);
/// Those of them that say of an operand that it is 0-dimensional.
TraitSet zero_dimensional(const TraitSet& traits);
/// "self is expanded", "index holds negative indices", "accumulate = 1".
std::string describe(Trait trait, const Case& c);
/// The case with this one trait made plain; not yet repaired.
Case reset(const Case& c, Trait trait);

/// The signature as a person reads it, and its id: 12 hexadecimal digits.
struct Signature {
  std::string text;
  std::string id;
};
/// `calls_before`: how many other calls must have been made in the process for it to fail.
Signature signature(const Case& minimal, const Verdict& verdict, std::string_view implementation,
                    const TraitSet& essential, std::size_t calls_before = 0);

}  // namespace indexfuzz
