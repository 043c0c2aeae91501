#include <fmt/format.h>

#include "judge/trait_numbers.h"
#include "ops/repair/settled_sums.h"

namespace indexfuzz {
namespace {

/// What a value fill other than the plain one holds, for a person who has never seen a case file.
std::string_view words(FillKind kind, Dtype dtype) {
  // Elsewhere these fills hold what sums1 holds.
  const bool is_floating = is_floating_or_complex(dtype);
  const bool holds_fractions = is_floating && has_room_for_fractions(dtype);
  switch (kind) {
    case FillKind::kHash1: return "values of any size";
    case FillKind::kSpecial1: return "special values";
    case FillKind::kZeros: return "zeros";
    case FillKind::kOnes: return "ones";
    case FillKind::kSums1: return "small numbers";
    case FillKind::kSums2: return holds_fractions ? "fractions" : "small numbers";
    case FillKind::kSums3: return is_floating ? "infinities or NaN or -0" : "small numbers";
    case FillKind::kFactor1: return "factors other than 1";
    case FillKind::kSums4: return "numbers whose sums are rounded";
    case FillKind::kBetween1: return "numbers that are rounded as they are converted";
    case FillKind::kFactor2: return "factors of more bits than a float has";
    case FillKind::kProducts1: return "numbers whose products are exact";
    case FillKind::kProducts2: return "zeros or infinities or NaN";
    case FillKind::kLone1: return "zeros but in one place";
    case FillKind::kSpecial2: return "special numbers";
    case FillKind::kFactor3: return "factors and zeros";
    case FillKind::kSums5: return "large numbers whose sums fit";
    case FillKind::kSums6: return holds_fractions ? "subnormal numbers" : "small numbers";
    case FillKind::kClose1: return "large numbers near one another";
    case FillKind::kSorted1: return "sorted numbers";
    case FillKind::kSorted2: return "numbers that the sorter sorts";
    case FillKind::kSearched1: return "numbers to be found";
    case FillKind::kIndex:
    case FillKind::kFirst:
    case FillKind::kLast:
    case FillKind::kAscending:
    case FillKind::kDescending:
    case FillKind::kRandom1:
    case FillKind::kFew1:
    case FillKind::kDistinct1:
    case FillKind::kDistinct2:
    case FillKind::kRuns1:
    case FillKind::kOffsets1:
    case FillKind::kOffsets2:
    case FillKind::kOffsets3:
    case FillKind::kOffsets4:
    case FillKind::kCounts1:
    case FillKind::kMaskFront:
    case FillKind::kMaskBack:
    case FillKind::kMaskSpread1:
    case FillKind::kMaskMixed1:
    case FillKind::kMaskRandom1: break;
  }
  return "other values";
}

}  // namespace

bool has_subject(const Case& c, Trait t) {
  const int role = t / kTraitsOfRole, what = t % kTraitsOfRole;
  const Overload& overload = overload_of(c);
  if (role == kCaseTraits) {
    if (what >= kManyListed && what < kChoice) return true;
    const bool is_choice = what >= kChoice;
    const auto a = static_cast<std::size_t>(is_choice ? (what - kChoice) / kMostChoices
                                                      : what % kNegativeAttribute);
    const auto choice = static_cast<std::size_t>(is_choice ? (what - kChoice) % kMostChoices : 0);
    return a < overload.attributes.size() &&
           (!is_choice || choice < overload.attributes[a].choices.size());
  }
  const int operand = role >= kRanks ? role - kRanks : role;
  return operand == kOutRole || operand < static_cast<int>(overload.operands.size());
}

std::string describe(Trait t, const Case& c) {
  const int k = t / kTraitsOfRole, what = t % kTraitsOfRole;
  if (k == kCaseTraits) {
    if (what == kManyListed)
      return lists_indices(overload_of(c)) ? "several index tensors" : "several tensors";
    if (what == kOutResized) return "out is resized";
    if (what == kThreads) return "several threads";
    if (what >= kChoice) {
      const int choice = what - kChoice;
      const AttributeSpec& spec =
          overload_of(c).attributes[static_cast<std::size_t>(choice / kMostChoices)];
      return fmt::format("{} is {}", spec.name,
                         spec.choices[static_cast<std::size_t>(choice % kMostChoices)]);
    }
    if (what >= kGpuSetting)
      return std::string(kGpuSettings.at(static_cast<std::size_t>(what - kGpuSetting)).words);
    if (what >= kCapability) {
      return "CPU capability " + std::string(name(static_cast<Capability>(what - kCapability)));
    }
    const bool negative = what >= kNegativeAttribute;
    const auto a = static_cast<std::size_t>(what - (negative ? kNegativeAttribute : 0));
    const AttributeSpec& spec = overload_of(c).attributes[a];
    if (spec.type == AttributeType::kBool) return std::string(spec.name);
    if (spec.type == AttributeType::kDims) return std::string(spec.name) + " is not empty";
    if (spec.type == AttributeType::kRow || spec.type == AttributeType::kOptionalRow)
      return std::string(spec.name) + " names a row";
    const bool is_place = spec.type == AttributeType::kOptionalPlace;
    if (spec.type == AttributeType::kOptionalSize || (is_place && !negative))
      return std::string(spec.name) + " is given";
    if (spec.type == AttributeType::kStep) return std::string(spec.name) + " is not 1";
    if (c.attributes[a] == kNoInt) return std::string(spec.name) + " is None";
    return std::string(spec.name) + (negative ? " < 0" : " > 0");
  }
  if (k >= kRanks && what == kMaskOfList) return role_name(c, k - kRanks) + " is a boolean mask";
  if (k >= kRanks) return role_name(c, k - kRanks) + " is " + std::to_string(what) + "-dimensional";
  const std::string name = role_name(c, k);
  if (what >= kDtype)
    return name + " is " + std::string(info(static_cast<Dtype>(what - kDtype)).name);
  switch (static_cast<OperandTrait>(what)) {
    case kOrder: return name + " is permuted";
    case kStep: return name + " is strided";
    case kPadding: return name + " is a slice";
    case kOffset: return name + " has a storage offset";
    case kExpanded: return name + " is expanded";
    case kSliding: return name + " overlaps itself";
    case kEmpty: return name + " is empty";
    case kScalar: return name + " is 0-dimensional";
    case kRepeats: return name + " repeats its values";
    case kNegatives: return name + " holds negative indices";
    case kFill:
      for (int i = 0; i < static_cast<int>(c.operands.size()); ++i) {
        const FillKind kind = c.operands[static_cast<std::size_t>(i)].fill.kind;
        if (role_of(c, i) != k || fill_is_plain(c.operands[static_cast<std::size_t>(i)])) continue;
        switch (family(kind)) {
          case FillFamily::kIndex:
            if (spec_of(c, i).is_count) return name + " is not all 0";
            return name + (kind == FillKind::kOffsets1 ? " end before the last index"
                           : is_of_offsets(kind)       ? " make irregular bags"
                                                       : " names more than position 0");
          case FillFamily::kMask: return name + " is true elsewhere than in front";
          case FillFamily::kValue:
            return name + " holds " +
                   std::string(words(kind, c.operands[static_cast<std::size_t>(i)].dtype));
        }
      }
      return name + " holds other values";
    case kNone: return name + " is None";
    case kFar: return name + " has strides beyond 32 bits";
    case kOnHost: return name + " is on the host";
    case kNumbers: return name + " holds numbers other than 0 and 1";
    case kDtype: break;
  }
  return name;
}

}  // namespace indexfuzz
