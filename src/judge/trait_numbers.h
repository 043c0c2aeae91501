#pragma once
// How traits are encoded as numbers, for the files that make, describe and reset them.

#include <algorithm>
#include <optional>
#include <string>

#include "judge/traits.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

// The number of an operand's trait is role × 64 + OperandTrait, that of the case itself kCaseTraits
// × 64 + CaseTrait, that of a rank (kRanks + role) × 64 + rank. All entries of a list have the same
// role: which of several tensors it was does not distinguish failures.
inline constexpr int kOutRole = 14;
inline constexpr int kCaseTraits = 15;
inline constexpr int kRanks = 16;
// In place of a rank: the operand is a boolean mask where an index tensor could be.
inline constexpr int kMaskOfList = 16;
static_assert(kMaskOfList > kMaxDims);
namespace operand_trait {
enum Kind : int {
  kOrder = 0,
  kStep,
  kPadding,
  kOffset,
  kExpanded,
  kSliding,
  kEmpty = 7,  // numbers are part of a finding's id
  kScalar,
  kRepeats,
  kNegatives,
  kFill,
  kNone,
  kFar,
  kOnHost,
  kNumbers,
  kLast,
  kFarLast,
  kDtype = 32,  // + Dtype
};
}  // namespace operand_trait
namespace case_trait {
enum Kind : int {
  kAttribute = 0,          // + attribute, up to 5
  kNoDim = 6,              // of the one attribute that is an optional dimension
  kNegativeAttribute = 8,  // + attribute, up to 13
  kManyListed = 16,
  kOutResized = 17,
  kThreads = 18,
  kCapability = 19,  // + Capability, up to 23
  kGpuSetting = 24,  // + its place in kGpuSettings, up to 31
  kChoice = 32,      // + 8 × attribute, one of the first four, + value, which is below 8
};
inline constexpr int kMostChoices = 8;
}  // namespace case_trait

inline constexpr int kTraitsOfRole = 64;
constexpr Trait trait(int role, int what) {
  return static_cast<Trait>(role * kTraitsOfRole + what);
}

/// A trait of the case itself, read from its number.
struct CaseTraitRead {
  case_trait::Kind kind;
  int index = 0;  ///< what is added to `kind`; of kChoice the attribute
  int choice = 0;
};

inline CaseTraitRead read_case_trait(Trait trait) {
  using namespace case_trait;
  const int what = trait % kTraitsOfRole;
  if (what >= kChoice)
    return {kChoice, (what - kChoice) / kMostChoices, (what - kChoice) % kMostChoices};
  for (const Kind counted : {kGpuSetting, kCapability})
    if (what >= counted) return {counted, what - counted};
  if (what >= kManyListed || what == kNoDim) return {static_cast<Kind>(what)};
  if (what >= kNegativeAttribute) return {kNegativeAttribute, what - kNegativeAttribute};
  return {kAttribute, what};
}

/// Which attribute is an optional dimension; none if the overload has no such attribute.
inline std::optional<std::size_t> optional_dim(const Overload& overload) {
  const auto found =
      std::ranges::find(overload.attributes, AttributeType::kOptionalDim, &AttributeSpec::type);
  if (found == overload.attributes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - overload.attributes.begin());
}

inline int role_of(const Case& c, int operand) {
  if (operand >= input_count(c)) return kOutRole;
  return std::min(operand, static_cast<int>(overload_of(c).operands.size()) - 1);
}

/// "self", "indices", "out".
inline std::string role_name(const Case& c, int role) {
  if (role == kOutRole) return "out";
  return std::string(overload_of(c).operands[static_cast<std::size_t>(role)].name);
}

/// Whether an operand's fill is no trait: it is the plainest of its family, ones, or not a free
/// choice (sums1 is forced on accumulating operators, offsets2 on bags, lengths1 on segments).
inline bool fill_is_plain(const Operand& operand) {
  return operand.fill.kind == plainest(family(operand.fill.kind)) ||
         operand.fill.kind == FillKind::kSums1 || operand.fill.kind == FillKind::kOnes ||
         operand.fill.kind == FillKind::kOffsets2 || operand.fill.kind == FillKind::kOffsets5 ||
         operand.fill.kind == FillKind::kLengths1;
}

}  // namespace indexfuzz
