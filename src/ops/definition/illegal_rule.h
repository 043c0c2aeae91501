#pragma once
// The illegal lane: a case that is legal but for one named rule. Everyone must refuse it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "case/case.h"

namespace indexfuzz {

/// What softens a rule, as bits of IllegalRule::flags.
enum RuleFlag : unsigned {
  /// Only the operands' values break it, so that a GPU notices it only inside the kernel. Not
  /// needed for rules that use poke_index(), which is_illegal_by_value() recognises by itself.
  kByValue = 1,
  /// Only ATen is held to it: a custom kernel may leave it open, or inherit a missing check from
  /// the parts of PyTorch that it uses.
  kATenOnly = 2,
  /// The call may return a result without elements instead of refusing.
  kMayBeEmpty = 4,
  /// A custom kernel may accept the case and return anything, within its own memory.
  kMayReturnAnything = 8,
};

/// A rule that a legal case can be made to break; the call must then be refused.
struct IllegalRule {
  std::uint8_t number;    ///< stable, from 1; part of the byte form
  std::string_view name;  ///< "index_above"
  /// Turns a legal case into one that breaks this rule and no other; false if it cannot.
  bool (*apply)(Case&);
  unsigned flags = 0;  ///< of RuleFlag

  constexpr bool has(RuleFlag flag) const { return (flags & flag) != 0; }
};

/// The rules that an operator shares with others, and its own.
template <std::size_t kShared, std::size_t kOwn>
constexpr std::array<IllegalRule, kShared + kOwn> with_rules(const IllegalRule (&shared)[kShared],
                                                             const IllegalRule (&own)[kOwn]) {
  std::array<IllegalRule, kShared + kOwn> rules;
  std::ranges::copy(own, std::ranges::copy(shared, rules.begin()).out);
  return rules;
}

/// Makes a legal case break the rule that it names, in place; true and unchanged if it names none.
/// False if the rule does not apply to it or would need more memory than an operand may have; the
/// case is then in an unspecified state.
bool apply_rule(Case& c);
/// The rule that a case names; null if it names none, or one that its operator lacks.
const IllegalRule* rule_of(const Case& c);
/// Whether only its operands' values make `applied`, a case after apply_rule(), illegal. On a GPU
/// the kernel itself finds that out, and can only answer with an assertion, which ends the
/// process's context.
bool is_illegal_by_value(const Case& applied);
/// As is_illegal_by_value(), for a case as it was drawn; false if its rule does not apply.
bool ends_gpu_context(Case c);

}  // namespace indexfuzz
