#include "judge/traits.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "ops/operator.h"
#include "ops/repair.h"

namespace indexfuzz {
namespace {

// A trait is role × 64 + what, or kCaseTraits × 64 + what for the case itself. All members of a
// list have one role: which of several index tensors it was tells no failures apart. A rank is
// (kRanks + role) × 64 + rank.
constexpr int kOutRole = 14;
constexpr int kCaseTraits = 15;
constexpr int kRanks = 16;
// Beside the ranks: a boolean mask where an index could stand.
constexpr int kMaskOfList = 16;
static_assert(kMaskOfList > kMaxDims);
enum OperandTrait : int {
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
  kDtype = 32,  // + Dtype
};
enum CaseTrait : int {
  kAttribute = 0,
  kNegativeAttribute = 8,
  kManyIndices = 16,
  kOutResized = 17,
  kThreads = 18,
  kCapability = 19,  // + Capability, up to 23
  kSideStream = 24,
  kDeterministic = 25,
  kOtherDevice = 26,
  kBusyMemory = 27,
  kChoice = 32,  // + 8 × attribute + value, which is below 8
};
constexpr int kMostChoices = 8;

constexpr int kTraitsOfRole = 64;
constexpr Trait trait(int role, int what) {
  return static_cast<Trait>(role * kTraitsOfRole + what);
}

int role_of(const Case& c, int operand) {
  if (operand >= input_count(c)) return kOutRole;
  return std::min(operand, static_cast<int>(overload_of(c).operands.size()) - 1);
}

/// "self", "indices", "out".
std::string role_name(const Case& c, int role) {
  if (role == kOutRole) return "out";
  return std::string(overload_of(c).operands[static_cast<std::size_t>(role)].name);
}

/// What the plainest case has in a role.
Dtype plain_dtype(const Operand& operand) {
  switch (family(operand.fill.kind)) {
    case FillFamily::kValue: return Dtype::kFloat;
    case FillFamily::kIndex: return Dtype::kInt64;
    case FillFamily::kMask: return Dtype::kBool;
  }
  return Dtype::kFloat;
}
/// Whether a fill kind is nothing that anybody chose: sums are forced on accumulators.
bool fill_is_plain(const Operand& operand) {
  return operand.fill.kind == plainest(family(operand.fill.kind)) ||
         operand.fill.kind == FillKind::kSums1 || operand.fill.kind == FillKind::kOnes;
}

/// Whether what is set in it holds other numbers than 1 (the seed of a mask's fill is odd).
bool holds_numbers(const Operand& operand) {
  return family(operand.fill.kind) == FillFamily::kMask && operand.dtype != Dtype::kBool &&
         operand.fill.seed % 2 != 0;
}

bool order_is_plain(const Layout& layout) {
  for (std::size_t d = 0; d < layout.order.size(); ++d) {
    if (layout.order[d] != d) return false;
  }
  return true;
}

template <typename Predicate>
bool any_dim(const Operand& operand, Predicate&& predicate) {
  return std::ranges::any_of(operand.layout.dims, predicate);
}

using IsNegative = bool (*)(const Operand&);

bool drawn_negative(const Operand& operand) {
  return operand.fill.negatives != Negatives::kNone;
}

/// A sign that is drawn for each makes hardly any of a few indices negative, or none.
bool surely_negative(const Operand& operand) {
  constexpr std::int64_t kFewIndices = 4;
  return operand.fill.negatives == Negatives::kAll ||
         (drawn_negative(operand) && numel(operand.shape) >= kFewIndices);
}

void operand_traits(const Operand& operand, int role, IsNegative is_negative, TraitSet& set) {
  auto add = [&](bool holds, int what) {
    if (holds) set.push_back(trait(role, what));
  };
  if (!operand.present) {
    add(true, kNone);
    return;
  }
  add(!order_is_plain(operand.layout), kOrder);
  add(any_dim(operand, [](const DimLayout& d) { return d.step > 1; }), kStep);
  add(any_dim(operand, [](const DimLayout& d) { return d.before > 0 || d.after > 0; }), kPadding);
  add(operand.layout.offset > 0, kOffset);
  add(has_expanded(operand.layout), kExpanded);
  add(has_sliding(operand.layout), kSliding);
  add(operand.slices != Slices::kNear, kFar);
  add(operand.on_host, kOnHost);
  add(numel(operand.shape) == 0, kEmpty);
  add(operand.shape.empty(), kScalar);
  add(operand.fill.repeats != 0, kRepeats);
  add(is_negative(operand), kNegatives);
  add(!fill_is_plain(operand), kFill);
  add(holds_numbers(operand), kNumbers);
  add(operand.dtype != plain_dtype(operand), kDtype + static_cast<int>(operand.dtype));
}

/// Makes one operand plain in one respect.
void reset_operand(Case& c, Operand& operand, int what) {
  if (what >= kDtype) {
    const auto from = static_cast<Dtype>(what - kDtype);
    if (operand.dtype != from) return;
    // Operands that move together keep one dtype.
    const FillFamily fills = family(operand.fill.kind);
    const Dtype to = plain_dtype(operand);
    for (Operand& other : c.operands) {
      if (other.dtype == from && family(other.fill.kind) == fills) other.dtype = to;
    }
    return;
  }
  switch (static_cast<OperandTrait>(what)) {
    case kOrder:
      for (std::size_t d = 0; d < operand.layout.order.size(); ++d)
        operand.layout.order[d] = static_cast<std::uint8_t>(d);
      break;
    case kStep:
      for (DimLayout& d : operand.layout.dims) d.step = 1;
      break;
    case kPadding:
      for (DimLayout& d : operand.layout.dims) d.before = d.after = 0;
      break;
    case kOffset: operand.layout.offset = 0; break;
    case kExpanded:
      for (DimLayout& d : operand.layout.dims) d.expanded = false;
      break;
    case kSliding:
      for (DimLayout& d : operand.layout.dims) d.slides = false;
      break;
    case kEmpty:
      for (std::int64_t& size : operand.shape) size = std::max<std::int64_t>(size, 1);
      break;
    case kScalar:
      if (operand.present && operand.shape.empty()) operand.shape = {1};
      break;
    case kRepeats: operand.fill.repeats = 0; break;
    case kNegatives: operand.fill.negatives = Negatives::kNone; break;
    case kFill: operand.fill.kind = plainest(family(operand.fill.kind)); break;
    case kNone: operand.present = true; break;
    case kFar: operand.slices = Slices::kNear; break;
    case kOnHost: operand.on_host = false; break;
    case kNumbers:
      if (holds_numbers(operand)) --operand.fill.seed;
      break;
    case kDtype: break;
  }
}

void sort_without_duplicates(TraitSet& set) {
  std::ranges::sort(set);
  set.erase(std::unique(set.begin(), set.end()), set.end());
}

TraitSet traits_with(const Case& c, IsNegative is_negative) {
  TraitSet set;
  for (int k = 0; k < static_cast<int>(c.operands.size()); ++k) {
    operand_traits(c.operands[static_cast<std::size_t>(k)], role_of(c, k), is_negative, set);
  }
  const auto attributes = overload_of(c).attributes;
  for (int a = 0; a < static_cast<int>(attributes.size()); ++a) {
    const AttributeType type = attributes[static_cast<std::size_t>(a)].type;
    const std::int64_t value = c.attributes[static_cast<std::size_t>(a)];
    // Sizes are only made small.
    if (type == AttributeType::kSize) continue;
    if (is_choice(type)) {
      const int choice = kChoice + kMostChoices * a + static_cast<int>(value);
      if (value != 0) set.push_back(trait(kCaseTraits, choice));
      continue;
    }
    if (value > 0) set.push_back(trait(kCaseTraits, kAttribute + a));
    if (value < 0) set.push_back(trait(kCaseTraits, kNegativeAttribute + a));
  }
  const Overload& overload = overload_of(c);
  if (overload.operands.back().is_list &&
      input_count(c) > static_cast<int>(overload.operands.size())) {
    set.push_back(trait(kCaseTraits, kManyIndices));
  }
  if (c.environment.threads > 1) set.push_back(trait(kCaseTraits, kThreads));
  if (c.environment.capability != Capability::kNative) {
    set.push_back(trait(kCaseTraits, kCapability + static_cast<int>(c.environment.capability)));
  }
  if (c.gpu.side_stream) set.push_back(trait(kCaseTraits, kSideStream));
  if (c.gpu.deterministic) set.push_back(trait(kCaseTraits, kDeterministic));
  if (c.gpu.other_device) set.push_back(trait(kCaseTraits, kOtherDevice));
  if (c.gpu.busy_memory) set.push_back(trait(kCaseTraits, kBusyMemory));
  if (c.operands.back().own_shape) set.push_back(trait(kCaseTraits, kOutResized));
  sort_without_duplicates(set);
  return set;
}

}  // namespace

TraitSet traits(const Case& c) {
  return traits_with(c, drawn_negative);
}

TraitSet traits_and_ranks(const Case& c) {
  TraitSet set = traits_with(c, surely_negative);
  for (int k = 0; k < static_cast<int>(c.operands.size()); ++k) {
    const Operand& operand = c.operands[static_cast<std::size_t>(k)];
    if (operand.present && !operand.shape.empty())
      set.push_back(trait(kRanks + role_of(c, k), rank(operand.shape)));
    if (operand.present && operand.dtype == Dtype::kBool &&
        spec_of(c, k).role == Role::kIndexOrMask)
      set.push_back(trait(kRanks + role_of(c, k), kMaskOfList));
  }
  sort_without_duplicates(set);
  return set;
}

TraitSet zero_dimensional(const TraitSet& traits) {
  TraitSet those;
  std::ranges::copy_if(traits, std::back_inserter(those), [](Trait one) {
    return one < kCaseTraits * kTraitsOfRole && one % kTraitsOfRole == kScalar;
  });
  return those;
}

bool includes(const TraitSet& all, const TraitSet& some) {
  return std::ranges::includes(all, some);
}

namespace {

/// What a value fill other than the plain one holds, for a person who has never seen a case file.
std::string_view words(FillKind kind) {
  switch (kind) {
    case FillKind::kHash1: return "values of any size";
    case FillKind::kSpecial1: return "special values";
    case FillKind::kZeros: return "zeros";
    case FillKind::kOnes: return "ones";
    case FillKind::kSums1: return "small numbers";
    case FillKind::kSums2: return "fractions";
    case FillKind::kSums3: return "infinities or NaN or -0";
    case FillKind::kFactor1: return "factors other than 1";
    case FillKind::kSums4: return "numbers whose sums are rounded";
    case FillKind::kBetween1: return "numbers that are rounded as they are converted";
    case FillKind::kFactor2: return "factors of more bits than a float has";
    case FillKind::kProducts1: return "numbers whose products are exact";
    case FillKind::kProducts2: return "zeros or infinities or NaN";
    case FillKind::kLone1: return "zeros but in one place";
    case FillKind::kSpecial2: return "special numbers";
    case FillKind::kIndex:
    case FillKind::kFirst:
    case FillKind::kLast:
    case FillKind::kAscending:
    case FillKind::kDescending:
    case FillKind::kRandom1:
    case FillKind::kFew1:
    case FillKind::kDistinct1:
    case FillKind::kRuns1:
    case FillKind::kOffsets1:
    case FillKind::kOffsets2:
    case FillKind::kMaskFront:
    case FillKind::kMaskBack:
    case FillKind::kMaskSpread1:
    case FillKind::kMaskMixed1:
    case FillKind::kMaskRandom1: break;
  }
  return "other values";
}

}  // namespace

std::string describe(Trait t, const Case& c) {
  const int k = t / kTraitsOfRole, what = t % kTraitsOfRole;
  if (k == kCaseTraits) {
    if (what == kManyIndices) return "several index tensors";
    if (what == kOutResized) return "out is resized";
    if (what == kThreads) return "several threads";
    if (what == kSideStream) return "the current stream is a busy one of its own";
    if (what == kDeterministic) return "algorithms are deterministic";
    if (what == kOtherDevice) return "the current device is another one";
    if (what == kBusyMemory) return "another stream reads memory";
    if (what >= kChoice) {
      const int choice = what - kChoice;
      const AttributeSpec& spec =
          overload_of(c).attributes[static_cast<std::size_t>(choice / kMostChoices)];
      return fmt::format("{} is {}", spec.name,
                         spec.choices[static_cast<std::size_t>(choice % kMostChoices)]);
    }
    if (what >= kCapability) {
      return "CPU capability " + std::string(name(static_cast<Capability>(what - kCapability)));
    }
    const bool negative = what >= kNegativeAttribute;
    const auto a = static_cast<std::size_t>(what - (negative ? kNegativeAttribute : 0));
    const AttributeSpec& spec = overload_of(c).attributes[a];
    if (spec.type == AttributeType::kBool) return std::string(spec.name);
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
          case FillFamily::kIndex: return name + " names more than position 0";
          case FillFamily::kMask: return name + " is true elsewhere than in front";
          case FillFamily::kValue: return name + " holds " + std::string(words(kind));
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

Case reset(const Case& c, Trait t) {
  Case plain = c;
  const int k = t / kTraitsOfRole, what = t % kTraitsOfRole;
  if (k == kCaseTraits) {
    if (what == kManyIndices) {
      const auto list_begin = static_cast<std::ptrdiff_t>(overload_of(plain).operands.size()) - 1;
      plain.operands.erase(plain.operands.begin() + list_begin + 1,
                           plain.operands.begin() + input_count(plain));
    } else if (what == kOutResized) {
      plain.operands.back().own_shape = false;
      plain.operands.back().shape = operator_of(c).result(c).shape;
    } else if (what == kThreads) {
      plain.environment.threads = 1;
    } else if (what == kSideStream) {
      plain.gpu.side_stream = false;
    } else if (what == kDeterministic) {
      plain.gpu.deterministic = false;
    } else if (what == kOtherDevice) {
      plain.gpu.other_device = false;
    } else if (what == kBusyMemory) {
      plain.gpu.busy_memory = false;
    } else if (what >= kChoice) {
      plain.attributes[static_cast<std::size_t>((what - kChoice) / kMostChoices)] = 0;
    } else if (what >= kCapability) {
      plain.environment.capability = Capability::kNative;
    } else if (std::int64_t& value =
                   plain.attributes[static_cast<std::size_t>(what % kNegativeAttribute)];
               what >= kNegativeAttribute && value != kNoInt) {
      // The same dimension, counted from the front.
      value += std::max(rank(plain.operands[0].shape), 1);
    } else {
      value = 0;
    }
    return plain;
  }
  for (int i = 0; i < static_cast<int>(plain.operands.size()); ++i) {
    if (role_of(plain, i) == k)
      reset_operand(plain, plain.operands[static_cast<std::size_t>(i)], what);
  }
  return plain;
}

}  // namespace indexfuzz
