#pragma once
// What of a case departs from the plainest one: by that failures are told apart.

#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <string>

#include "case/case.h"

namespace indexfuzz {

/// One way in which a case departs from the plainest one, e.g. "self is strided".
using Trait = std::uint16_t;
using TraitSet = boost::container::static_vector<Trait, 192>;  ///< sorted
/// All of them.
TraitSet traits(const Case& c);
/// Besides, "self is 2-dimensional": what every case has in one way or another and no signature
/// names, but a kernel may want. Not to be reset.
TraitSet traits_and_ranks(const Case& c);
bool includes(const TraitSet& all, const TraitSet& some);
/// Those of them that say of an operand that it is 0-dimensional.
TraitSet zero_dimensional(const TraitSet& traits);
/// Whether it says what elements an operand has, of what dtype, not how they lie.
bool tells_of_elements(Trait trait);
/// "self is expanded", "index holds negative indices", "accumulate".
std::string describe(Trait trait, const Case& c);
/// The case with this one trait made plain; not yet repaired.
Case reset(const Case& c, Trait trait);

}  // namespace indexfuzz
