#include "judge/read_signature.h"

#include <algorithm>
#include <charconv>

#include "case/strings/take_until.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

/// The first operand of a role, -1 if there is none. The shrink key is the same for all entries of
/// a list.
int operand_of(const Case& c, std::string_view role) {
  for (int k = 0; k < static_cast<int>(c.operands.size()); ++k) {
    if (spec_of(c, k).name == role) return k;
  }
  return -1;
}

/// One of the parts between the kind and the traits: `self`, `signal 11`, `breaks index_above`.
void read_part(std::string_view part, const Case& c, Verdict& verdict) {
  if (part.starts_with("signal ")) {
    part.remove_prefix(7);
    int signal = 0;
    std::from_chars(part.data(), part.data() + part.size(), signal);
    verdict.signal = static_cast<std::int8_t>(signal);
  } else if (!part.starts_with("breaks ")) {
    verdict.operand = static_cast<std::int8_t>(operand_of(c, part));
  }
}

TraitSet read_traits(std::string_view text, const Case& c) {
  TraitSet named;
  const TraitSet all = traits(c);
  while (!text.empty()) {
    const std::string_view one = take_until(text, ", ");
    for (const Trait trait : all) {
      if (describe(trait, c) == one) named.push_back(trait);
    }
  }
  std::ranges::sort(named);
  return named;
}

}  // namespace

std::optional<SignedFailure> read_signature(std::string_view text, const Case& minimal) {
  const std::string_view whole = text;
  SignedFailure read;
  take_until(text, " on ");
  read.implementation = take_until(text, ": ");
  Verdict& verdict = read.verdict;
  verdict.status = Status::kFinding;
  // A message may hold anything, but no trait holds a quotation mark.
  const std::size_t open = text.find(", \""), close = text.rfind('"');
  const bool has_message = open != std::string_view::npos && close > open + 2;
  std::string_view back = has_message ? text.substr(close + 1) : text;
  std::string_view front = take_until(back, "; when ");
  if (has_message) {
    front = text.substr(0, open);
    set_message(verdict, text.substr(open + 3, close - open - 3));
    verdict.error_class = class_of_message(verdict.message.data());
  }
  const auto kind = kind_from_name(take_until(front, ", "));
  if (!kind) return std::nullopt;
  verdict.kind = *kind;
  while (!front.empty()) read_part(take_until(front, ", "), minimal, verdict);
  read.essential = read_traits(back, minimal);
  if (signature(minimal, verdict, read.implementation, read.essential).text != whole)
    return std::nullopt;
  return read;
}

}  // namespace indexfuzz
