#include "campaign/counts/held_traits.h"

#include <map>
#include <set>
#include <span>

#include "draw/draw.h"
#include "judge/traits.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

/// Enough for every trait that is not very rare; a few milliseconds.
constexpr std::uint64_t kSamples = 4096;

/// The traits of an operator's legal cases, each with a case that has it.
std::map<Trait, Case> traits_drawn(std::span<const Target> targets) {
  std::map<Trait, Case> traits;
  for (std::uint64_t number = 0; number < kSamples; ++number) {
    Case c;
    draw_case(0, 0, number, targets, {.illegal = false, .gpu = false}, c);
    for (const Trait trait : traits_and_ranks(c)) traits.try_emplace(trait, c);
  }
  return traits;
}

}  // namespace

HeldTraits held_traits(const Totals& totals, const Hello& hello, const TestedPair& pair) {
  std::set<Trait> held;
  for (const auto& [of, trait] : totals.traits) {
    if (of.implementation == pair.implementation && of.op == pair.op && trait.held > 0)
      held.insert(of.trait);
  }
  HeldTraits words;
  if (held.empty()) return words;
  std::vector<Target> targets;
  for (const ImplementationForm& form : hello.implementations[pair.implementation].forms) {
    if (form.op == operators()[pair.op]->number)
      targets.push_back({form.op, form.overload, form.variant});
  }
  for (const auto& [trait, c] : traits_drawn(targets)) {
    if (tells_of_fill(trait)) continue;
    (held.contains(trait) ? words.held : words.never_met).push_back(describe(trait, c));
  }
  return words;
}

}  // namespace indexfuzz
