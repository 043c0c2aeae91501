#include "case/fill.h"

#include <algorithm>
#include <iterator>

namespace indexfuzz {
namespace {

// A number that names no fill is decoded as an index into this list: append new fills at the end.
constexpr NamedFill kFills[] = {
    {FillKind::kIndex, "index"},
    {FillKind::kHash1, "hash1"},
    {FillKind::kSums1, "sums1"},
    {FillKind::kSpecial1, "special1"},
    {FillKind::kZeros, "zeros"},
    {FillKind::kFirst, "first"},
    {FillKind::kLast, "last"},
    {FillKind::kAscending, "ascending"},
    {FillKind::kDescending, "descending"},
    {FillKind::kRandom1, "random1"},
    {FillKind::kFew1, "few1"},
    {FillKind::kDistinct1, "distinct1"},
    {FillKind::kMaskFront, "mask_front"},
    {FillKind::kMaskBack, "mask_back"},
    {FillKind::kMaskSpread1, "mask_spread1"},
    {FillKind::kMaskMixed1, "mask_mixed1"},
    {FillKind::kOnes, "ones"},
    {FillKind::kSums2, "sums2"},
    {FillKind::kSums3, "sums3"},
    {FillKind::kFactor1, "factor1"},
    {FillKind::kMaskRandom1, "mask_random1"},
    {FillKind::kSums4, "sums4"},
    {FillKind::kBetween1, "between1"},
    {FillKind::kFactor2, "factor2"},
    {FillKind::kRuns1, "runs1"},
    {FillKind::kProducts1, "products1"},
    {FillKind::kOffsets1, "offsets1"},
    {FillKind::kOffsets2, "offsets2"},
    {FillKind::kProducts2, "products2"},
    {FillKind::kLone1, "lone1"},
    {FillKind::kSpecial2, "special2"},
    {FillKind::kFactor3, "factor3"},
    {FillKind::kClose1, "close1"},
    {FillKind::kSums5, "sums5"},
    {FillKind::kSums6, "sums6"},
    {FillKind::kSorted1, "sorted1"},
    {FillKind::kSearched1, "searched1"},
    {FillKind::kSorted2, "sorted2"},
    {FillKind::kDistinct2, "distinct2"},
    {FillKind::kOffsets3, "offsets3"},
    {FillKind::kOffsets4, "offsets4"},
    {FillKind::kCounts1, "counts1"},
    {FillKind::kOffsets5, "offsets5"},
    {FillKind::kLengths1, "lengths1"},
    {FillKind::kSorted3, "sorted3"},
    {FillKind::kSorted4, "sorted4"},
    {FillKind::kSearched2, "searched2"},
    {FillKind::kWrapped1, "wrapped1"},
    {FillKind::kSums7, "sums7"},
    {FillKind::kSums8, "sums8"},
};

}  // namespace

std::span<const NamedFill> named_fills() {
  return kFills;
}

std::string_view name(FillKind kind) {
  const auto known = std::ranges::find(kFills, kind, &NamedFill::kind);
  return known != std::end(kFills) ? known->name : "unknown";
}

std::optional<FillKind> fill_from_name(std::string_view name) {
  const auto known = std::ranges::find(kFills, name, &NamedFill::name);
  return known != std::end(kFills) ? std::optional(known->kind) : std::nullopt;
}

}  // namespace indexfuzz
