#include "judge/signature.h"

#include "case/number.h"
#include "ops/definition/illegal_rule.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  return hash1(value, hash);
}
std::uint64_t mix(std::uint64_t hash, std::string_view text) {
  for (const char ch : text) hash = mix(hash, static_cast<unsigned char>(ch));
  return mix(hash, text.size());
}

std::string_view role_name(const Case& c, const Verdict& verdict) {
  return verdict.operand < 0 ? std::string_view("result") : spec_of(c, verdict.operand).name;
}

}  // namespace

std::uint64_t shrink_key(const Case& c, const Verdict& verdict, std::string_view implementation) {
  std::uint64_t hash = mix(0, implementation);
  hash = mix(hash, c.op);
  hash = mix(hash, c.overload);
  hash = mix(hash, static_cast<std::uint64_t>(c.variant));
  hash = mix(hash, c.breaks);
  hash = mix(hash, static_cast<std::uint64_t>(verdict.kind));
  hash = mix(hash, verdict.error_class);
  hash = mix(hash, static_cast<std::uint64_t>(static_cast<std::uint8_t>(verdict.signal)));
  return mix(hash, role_name(c, verdict));
}

Signature signature(const Case& minimal, const Verdict& verdict, std::string_view implementation,
                    const TraitSet& essential, std::size_t calls_before) {
  Signature result;
  const Overload& overload = overload_of(minimal);
  std::string& text = result.text;
  text = std::string(operator_of(minimal).name);
  if (!overload.name.empty()) text += "." + std::string(overload.name);
  if (minimal.variant != Variant::kFunctional)
    text += " (" + std::string(name(minimal.variant)) + ")";
  text += " on " + std::string(implementation) + ": " + std::string(name(verdict.kind));
  if (const IllegalRule* rule = rule_of(minimal)) text += ", breaks " + std::string(rule->name);
  if (verdict.operand >= 0) text += ", " + std::string(role_name(minimal, verdict));
  if (verdict.signal != 0) text += ", signal " + std::to_string(verdict.signal);
  if (verdict.error_class != 0) text += ", \"" + general_form(verdict.message.data()) + "\"";
  std::string separator = "; when ";
  for (const Trait t : essential) {
    text += separator + describe(t, minimal);
    separator = ", ";
  }
  if (calls_before > 0) {
    text += calls_before == 1 ? "; after another call"
                              : "; after " + std::to_string(calls_before) + " other calls";
  }
  // The id is made of names and numbers that stay, not of the sentence above.
  std::uint64_t hash = mix(shrink_key(minimal, verdict, implementation), 0x1D);
  for (const Trait t : essential) hash = mix(hash, t);
  if (calls_before > 0) hash = mix(hash, 0x10000 + calls_before);
  constexpr char kDigits[] = "0123456789abcdef";
  for (int i = 0; i < 12; ++i) result.id += kDigits[(hash >> (4 * i)) & 15];
  return result;
}

}  // namespace indexfuzz
