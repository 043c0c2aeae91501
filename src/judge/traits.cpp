#include "judge/traits.h"

#include <algorithm>
#include <iterator>

#include "judge/trait_numbers.h"
#include "ops/definition/operator.h"
#include "ops/families/advanced_index.h"

namespace indexfuzz {
namespace {

/// Whether set elements hold numbers other than 1: so for a mask fill with an odd seed, unless the
/// dtype is bool.
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

/// Whether some index is probably negative. With Negatives::kSome each sign is drawn, so that a few
/// indices may all be positive.
bool probably_negative(const Operand& operand) {
  constexpr std::int64_t kFewIndices = 4;
  return operand.fill.negatives == Negatives::kAll ||
         (drawn_negative(operand) && numel(operand.shape) >= kFewIndices);
}

void operand_traits(const Operand& operand, int role, IsNegative is_negative, TraitSet& set) {
  using namespace operand_trait;
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
  add(are_apart(operand.slices), kFar);
  add(operand.slices == SlicePlacement::kLastBehind2To31, kLast);
  add(operand.slices == SlicePlacement::kLastBehind2To32, kFarLast);
  add(operand.on_host, kOnHost);
  // For an `out` that is resized, kOutResized says enough about its shape.
  add(numel(operand.shape) == 0 && !operand.own_shape, kEmpty);
  add(operand.shape.empty() && !operand.own_shape, kScalar);
  add(operand.fill.repeats != 0, kRepeats);
  add(is_negative(operand), kNegatives);
  add(!fill_is_plain(operand), kFill);
  add(holds_numbers(operand), kNumbers);
  add(operand.dtype != plainest_dtype(family(operand.fill.kind)),
      kDtype + static_cast<int>(operand.dtype));
}

/// Makes one operand plain in one respect.
void reset_operand(Case& c, Operand& operand, int what) {
  using namespace operand_trait;
  if (what >= kDtype) {
    const auto from = static_cast<Dtype>(what - kDtype);
    if (operand.dtype != from) return;
    // Operands that move together keep one dtype.
    const FillFamily fills = family(operand.fill.kind);
    const Dtype to = plainest_dtype(fills);
    for (Operand& other : c.operands) {
      if (other.dtype == from && family(other.fill.kind) == fills) other.dtype = to;
    }
    return;
  }
  switch (static_cast<Kind>(what)) {
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
    case kFar:
    case kLast:
    case kFarLast: operand.slices = SlicePlacement::kByLayout; break;
    case kOnHost: operand.on_host = false; break;
    case kNumbers:
      if (holds_numbers(operand)) --operand.fill.seed;
      break;
    case kDtype: break;
  }
}

void reset_attribute(Case& c, std::size_t a) {
  std::int64_t& value = c.attributes[a];
  const bool counts_from_the_end =
      is_dim(overload_of(c).attributes[a].type) && value < 0 && value != kNoInt;
  if (!counts_from_the_end) {
    value = plain_value(c, a);
    return;
  }
  // The same dimension, counted from the front. Of several entries the first may have a lower rank
  // than others.
  while (value < 0) value += nameable_dims(c, a);
}

Case reset_case_trait(const Case& c, const CaseTraitRead& read) {
  using namespace case_trait;
  Case plain = c;
  const auto index = static_cast<std::size_t>(read.index);
  switch (read.kind) {
    case kAttribute:
    case kNegativeAttribute: reset_attribute(plain, index); break;
    case kNoDim: reset_attribute(plain, optional_dim(overload_of(c)).value()); break;
    case kManyListed:
      plain.operands.erase(plain.operands.begin() + list_begin(plain) + 1,
                           plain.operands.begin() + input_count(plain));
      break;
    case kOutResized:
      plain.operands.back().own_shape = false;
      plain.operands.back().shape = operator_of(c).result(c).shape;
      break;
    case kThreads: plain.environment.threads = 1; break;
    case kCapability: plain.environment.capability = Capability::kNative; break;
    case kGpuSetting: plain.gpu.*kGpuSettings.at(index).is_on = false; break;
    // The first word has no plainer one to be reset to, so it becomes the second.
    case kChoice: plain.attributes[index] = read.choice == 0 ? 1 : 0; break;
  }
  return plain;
}

void sort_without_duplicates(TraitSet& set) {
  std::ranges::sort(set);
  set.erase(std::unique(set.begin(), set.end()), set.end());
}

TraitSet traits_with(const Case& c, IsNegative is_negative) {
  using namespace case_trait;
  TraitSet set;
  for (int k = 0; k < static_cast<int>(c.operands.size()); ++k) {
    operand_traits(operand_at(c, k), role_of(c, k), is_negative, set);
  }
  const auto attributes = overload_of(c).attributes;
  for (int a = 0; a < static_cast<int>(attributes.size()); ++a) {
    const AttributeType type = attributes[static_cast<std::size_t>(a)].type;
    const std::int64_t value = c.attributes[static_cast<std::size_t>(a)];
    // A kSize attribute has no plain value to be reset to; shrinking makes it small.
    if (type == AttributeType::kSize) continue;
    if (is_choice(type)) {
      // Of several words none is plainer than the others.
      const bool is_chosen = attributes[static_cast<std::size_t>(a)].choices.size() > 1;
      const int choice = kChoice + kMostChoices * a + static_cast<int>(value);
      if (is_chosen) set.push_back(trait(kCaseTraits, choice));
      continue;
    }
    const std::int64_t plain = plain_value(c, static_cast<std::size_t>(a));
    if (value == plain) continue;
    if (type == AttributeType::kOptionalDim && value == kNoInt) {
      set.push_back(trait(kCaseTraits, kNoDim));
      continue;
    }
    const bool counts_from_end = value < 0 && (plain == 0 || type == AttributeType::kOptionalPlace);
    set.push_back(trait(kCaseTraits, (counts_from_end ? kNegativeAttribute : kAttribute) + a));
  }
  const Overload& overload = overload_of(c);
  if (overload.operands.back().is_list &&
      input_count(c) > static_cast<int>(overload.operands.size())) {
    set.push_back(trait(kCaseTraits, kManyListed));
  }
  if (c.environment.threads > 1) set.push_back(trait(kCaseTraits, kThreads));
  if (c.environment.capability != Capability::kNative) {
    set.push_back(trait(kCaseTraits, kCapability + static_cast<int>(c.environment.capability)));
  }
  for (std::size_t s = 0; s < kGpuSettings.size(); ++s) {
    if (c.gpu.*kGpuSettings[s].is_on)
      set.push_back(trait(kCaseTraits, kGpuSetting + static_cast<int>(s)));
  }
  if (c.operands.back().own_shape) set.push_back(trait(kCaseTraits, kOutResized));
  sort_without_duplicates(set);
  return set;
}

}  // namespace

TraitSet traits(const Case& c) {
  return traits_with(c, drawn_negative);
}

TraitSet traits_and_ranks(const Case& c) {
  TraitSet set = traits_with(c, probably_negative);
  for (int k = 0; k < static_cast<int>(c.operands.size()); ++k) {
    const Operand& operand = operand_at(c, k);
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
    return one < kCaseTraits * kTraitsOfRole && one % kTraitsOfRole == operand_trait::kScalar;
  });
  return those;
}

bool tells_of_fill(Trait trait) {
  const int what = trait % kTraitsOfRole;
  return trait < kCaseTraits * kTraitsOfRole &&
         (what == operand_trait::kRepeats || what == operand_trait::kFill ||
          what == operand_trait::kNumbers);
}

bool tells_of_elements(Trait trait) {
  const int what = trait % kTraitsOfRole;
  return tells_of_fill(trait) ||
         (trait < kCaseTraits * kTraitsOfRole &&
          (what == operand_trait::kNegatives || what >= operand_trait::kDtype));
}

bool includes(const TraitSet& all, const TraitSet& some) {
  return std::ranges::includes(all, some);
}

Case reset(const Case& c, Trait t) {
  if (t / kTraitsOfRole == kCaseTraits) return reset_case_trait(c, read_case_trait(t));
  Case plain = c;
  const int k = t / kTraitsOfRole, what = t % kTraitsOfRole;
  for (int i = 0; i < static_cast<int>(plain.operands.size()); ++i) {
    if (role_of(plain, i) == k) reset_operand(plain, operand_at(plain, i), what);
  }
  return plain;
}

}  // namespace indexfuzz
