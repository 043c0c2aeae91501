#pragma once
// Traits: the ways in which a case departs from the plainest one. They distinguish failures.

#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <string>

#include "case/case.h"

namespace indexfuzz {

/// One way in which a case departs from the plainest one, e.g. "self is strided".
using Trait = std::uint16_t;
using TraitSet = boost::container::static_vector<Trait, 192>;  ///< sorted
/// All traits of a case.
TraitSet traits(const Case& c);
/// As traits(), for learning what a kernel refuses: also the ranks ("self is 2-dimensional") and
/// the boolean masks among indices, which no signature names; but negative indices only if some
/// index is almost certainly negative. reset() does not take the additional traits.
TraitSet traits_and_ranks(const Case& c);
/// Whether `all` has every trait of `some`.
bool includes(const TraitSet& all, const TraitSet& some);
/// The traits among them that say that an operand is 0-dimensional.
TraitSet zero_dimensional(const TraitSet& traits);
/// Whether the trait is about which values an operand holds, except that some are negative indices.
bool tells_of_fill(Trait trait);
/// Whether the trait is about the values or the dtype of an operand, not about its shape or layout.
bool tells_of_elements(Trait trait);
/// Whether the overload of `c` has the operand, the attribute or the mode that the trait is about.
bool has_subject(const Case& c, Trait trait);
/// Of a trait whose subject the overload has: "self is expanded", "index holds negative indices",
/// "accumulate".
std::string describe(Trait trait, const Case& c);
/// The case with this one trait made plain; not yet repaired.
Case reset(const Case& c, Trait trait);

}  // namespace indexfuzz
