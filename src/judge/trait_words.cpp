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
    case FillKind::kSums7:
      return is_floating && !holds_fractions ? "subnormal numbers" : "small numbers";
    case FillKind::kSums8: return is_floating ? "huge numbers" : "small numbers";
    case FillKind::kClose1: return "large numbers near one another";
    case FillKind::kSorted1: return "sorted numbers";
    case FillKind::kSorted2: return "numbers that the sorter sorts";
    case FillKind::kSearched1: return "numbers to be found";
    case FillKind::kSorted3: return "sorted special numbers";
    case FillKind::kSorted4: return "special numbers that the sorter sorts";
    case FillKind::kSearched2: return "numbers next to special ones";
    case FillKind::kWrapped1:
      return is_floating ? "fractions that are dropped" : "negative numbers that wrap";
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
    case FillKind::kOffsets5:
    case FillKind::kLengths1:
    case FillKind::kMaskFront:
    case FillKind::kMaskBack:
    case FillKind::kMaskSpread1:
    case FillKind::kMaskMixed1:
    case FillKind::kMaskRandom1: break;
  }
  return "other values";
}

/// An attribute other than the plain one.
std::string describe_attribute(const AttributeSpec& spec, bool is_negative) {
  const std::string name(spec.name), is_given = name + " is given";
  switch (spec.type) {
    case AttributeType::kBool: return name;
    case AttributeType::kDims: return name + " is not empty";
    case AttributeType::kRow:
    case AttributeType::kOptionalRow: return name + " names a row";
    case AttributeType::kOptionalSize: return is_given;
    case AttributeType::kOptionalPlace:
      if (!is_negative) return is_given;
      break;
    case AttributeType::kStep: return name + " is not 1";
    case AttributeType::kDim:
    case AttributeType::kOptionalDim:
    case AttributeType::kNewDim:
    case AttributeType::kOuterDim:
    case AttributeType::kSize:
    case AttributeType::kAnyInt:
    case AttributeType::kChoice:
    case AttributeType::kCode: break;
  }
  return name + (is_negative ? " < 0" : " > 0");
}

std::string describe_case_trait(const CaseTraitRead& read, const Case& c) {
  using namespace case_trait;
  const auto index = static_cast<std::size_t>(read.index);
  const auto attribute = [&]() -> const AttributeSpec& { return overload_of(c).attributes[index]; };
  switch (read.kind) {
    case kAttribute: return describe_attribute(attribute(), false);
    case kNegativeAttribute: return describe_attribute(attribute(), true);
    case kNoDim: {
      const std::size_t a = optional_dim(overload_of(c)).value();
      return std::string(overload_of(c).attributes[a].name) + " is None";
    }
    case kManyListed:
      return lists_indices(overload_of(c)) ? "several index tensors" : "several tensors";
    case kOutResized: return "out is resized";
    case kThreads: return "several threads";
    case kCapability:
      return "CPU capability " + std::string(name(static_cast<Capability>(read.index)));
    case kGpuSetting: return std::string(kGpuSettings.at(index).words);
    case kChoice:
      return fmt::format("{} is {}", attribute().name,
                         attribute().choices[static_cast<std::size_t>(read.choice)]);
  }
  return {};
}

}  // namespace

bool has_subject(const Case& c, Trait t) {
  const int role = t / kTraitsOfRole;
  const Overload& overload = overload_of(c);
  if (role == kCaseTraits) {
    const CaseTraitRead read = read_case_trait(t);
    const auto a = static_cast<std::size_t>(read.index);
    if (read.kind == case_trait::kNoDim) return optional_dim(overload).has_value();
    const bool is_choice = read.kind == case_trait::kChoice;
    if (!is_choice && read.kind != case_trait::kAttribute &&
        read.kind != case_trait::kNegativeAttribute)
      return true;
    return a < overload.attributes.size() &&
           (!is_choice ||
            static_cast<std::size_t>(read.choice) < overload.attributes[a].choices.size());
  }
  const int operand = role >= kRanks ? role - kRanks : role;
  return operand == kOutRole || operand < static_cast<int>(overload.operands.size());
}

std::string describe(Trait t, const Case& c) {
  using namespace operand_trait;
  const int k = t / kTraitsOfRole, what = t % kTraitsOfRole;
  if (k == kCaseTraits) return describe_case_trait(read_case_trait(t), c);
  if (k >= kRanks && what == kMaskOfList) return role_name(c, k - kRanks) + " is a boolean mask";
  if (k >= kRanks) return role_name(c, k - kRanks) + " is " + std::to_string(what) + "-dimensional";
  const std::string name = role_name(c, k);
  if (what >= kDtype)
    return name + " is " + std::string(info(static_cast<Dtype>(what - kDtype)).name);
  switch (static_cast<Kind>(what)) {
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
        const FillKind kind = operand_at(c, i).fill.kind;
        if (role_of(c, i) != k || fill_is_plain(operand_at(c, i))) continue;
        switch (family(kind)) {
          case FillFamily::kIndex:
            if (spec_of(c, i).is_count) return name + " is not all 0";
            return name + (kind == FillKind::kOffsets1 ? " end before the last index"
                           : is_of_offsets(kind)       ? " make irregular bags"
                                                       : " names more than position 0");
          case FillFamily::kMask: return name + " is true elsewhere than in front";
          case FillFamily::kValue:
            return name + " holds " + std::string(words(kind, operand_at(c, i).dtype));
        }
      }
      return name + " holds other values";
    case kNone: return name + " is None";
    case kFar: return name + " has strides beyond 32 bits";
    case kLast: return name + " has more than 2^31 elements";
    case kFarLast: return name + " has more than 2^32 elements";
    case kOnHost: return name + " is on the host";
    case kNumbers: return name + " holds numbers other than 0 and 1";
    case kDtype: break;
  }
  return name;
}

}  // namespace indexfuzz
