#include "ops/families/reductions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "ops/families/along_dim.h"
#include "ops/families/self_dim.h"
#include "ops/numbers/cast.h"
#include "ops/numbers/sums.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settled_sums.h"

namespace indexfuzz {
namespace {

constexpr DtypeSet kReduced =
    set_of(Dtype::kBool) | set_of(Dtype::kUInt8) | set_of(Dtype::kInt8) | set_of(Dtype::kInt16) |
    set_of(Dtype::kInt32) | set_of(Dtype::kInt64) | set_of(Dtype::kUInt16) |
    set_of(Dtype::kUInt32) | set_of(Dtype::kUInt64) | set_of(Dtype::kHalf) |
    set_of(Dtype::kBFloat16) | set_of(Dtype::kFloat) | set_of(Dtype::kDouble);
constexpr DtypeSet kAlsoSummed =
    set_of(Dtype::kComplexHalf) | set_of(Dtype::kComplexFloat) | set_of(Dtype::kComplexDouble);

/// The dtype of Wide, to which elements are widened; their arithmetic fits it, or wraps as in their
/// own dtype.
template <typename Wide>
constexpr Dtype dtype_of() {
  if constexpr (std::is_floating_point_v<Wide>) return Dtype::kDouble;
  return std::is_signed_v<Wide> ? Dtype::kInt64 : Dtype::kUInt64;
}

template <typename Wide>
void widen(Dtype from, const std::byte* source, std::int64_t count, std::vector<Wide>& wide) {
  wide.resize(static_cast<std::size_t>(count));
  convert(from, source, dtype_of<Wide>(), reinterpret_cast<std::byte*>(wide.data()), count);
}

template <typename Wide>
Wide larger(Wide a, Wide b) {
  if constexpr (std::is_floating_point_v<Wide>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<Wide>::quiet_NaN();
  }
  return std::max(a, b);
}
template <typename Wide>
Wide smaller(Wide a, Wide b) {
  if constexpr (std::is_floating_point_v<Wide>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<Wide>::quiet_NaN();
  }
  return std::min(a, b);
}

template <typename Wide>
Wide united(Reduction reduction, Wide a, Wide b) {
  // Unsigned, since signed overflow is undefined; the bits are the same.
  using Number = std::conditional_t<std::is_floating_point_v<Wide>, double, std::uint64_t>;
  const auto x = static_cast<Number>(a), y = static_cast<Number>(b);
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kMean: return static_cast<Wide>(x + y);
    case Reduction::kProd: return static_cast<Wide>(x * y);
    case Reduction::kAmax: return larger(a, b);
    case Reduction::kAmin: return smaller(a, b);
  }
  return a;
}

/// Rounded down for integers.
template <typename Wide>
Wide quotient(Wide sum, std::int64_t count) {
  const auto divisor = static_cast<Wide>(count);
  Wide result = sum / divisor;
  if constexpr (std::is_integral_v<Wide> && std::is_signed_v<Wide>) {
    if (sum % divisor < 0) --result;
  }
  return result;
}

template <typename Wide>
void reduce_as(const OracleInput& input, int source, Reduction reduction, bool include_self,
               const std::vector<ReducedPair>& pairs, std::byte* destination) {
  const Dtype dtype = input.c.operands[0].dtype;
  const LogicalOperand &self = input.operands[0],
                       &from = input.operands[static_cast<std::size_t>(source)];
  static thread_local std::vector<Wide> all, sources;
  static thread_local std::vector<std::int64_t> counts;
  widen(dtype, self.data, self.count, all);
  widen(dtype, from.data, from.count, sources);
  counts.assign(all.size(), 0);
  for (const ReducedPair& pair : pairs) {
    Wide& element = all[static_cast<std::size_t>(pair.element)];
    const Wide value = sources[static_cast<std::size_t>(pair.from)];
    const bool is_first = counts[static_cast<std::size_t>(pair.element)]++ == 0;
    element = is_first && !include_self ? value : united(reduction, element, value);
  }
  if (reduction == Reduction::kMean) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (counts[i] > 0) all[i] = quotient(all[i], counts[i] + (include_self ? 1 : 0));
    }
  }
  convert(dtype_of<Wide>(), reinterpret_cast<const std::byte*>(all.data()), dtype, destination,
          self.count);
}

/// Adds complex numbers, part by part.
void add_pairs(const OracleInput& input, int source, bool include_self,
               const std::vector<ReducedPair>& pairs, std::byte* destination) {
  static thread_local std::vector<char> counts;
  counts.assign(static_cast<std::size_t>(input.operands[0].count), include_self ? 1 : 0);
  copy_operand(input, 0, destination);
  as_addends(input.c.operands[0].dtype, destination,
             input.operands[static_cast<std::size_t>(source)].data,
             [&](auto* to, const auto* from) {
               for (const ReducedPair& pair : pairs) {
                 char& element_counts = counts[static_cast<std::size_t>(pair.element)];
                 if (element_counts != 0)
                   to[pair.element].add(from[pair.from]);
                 else
                   to[pair.element] = from[pair.from];
                 element_counts = 1;
               }
             });
}

DtypeSet dtypes_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum: return kReduced | kAlsoSummed;
    case Reduction::kMean: return kReduced & ~set_of(Dtype::kBool);
    case Reduction::kProd:
    case Reduction::kAmax:
    case Reduction::kAmin: return kReduced;
  }
  return kReduced;
}

}  // namespace

void settle_reduction(Case& c, std::size_t attribute, Reduction first, const Limits& limits) {
  std::int64_t& choice = c.attributes[attribute];
  const auto dtypes = [&] {
    return dtypes_of(static_cast<Reduction>(static_cast<std::int64_t>(first) + choice));
  };
  if ((dtypes() & limits.dtypes) == 0) choice = 0;
  clamp_dtype(c.operands[0].dtype, within(dtypes(), limits));
}

void settle_reduction_fills(Reduction reduction, Operand& self, Operand& source, bool adds_once) {
  switch (reduction) {
    case Reduction::kSum: return settle_sums(self, source, adds_once);
    // A sum must not be rounded or wrap before it is divided, since an implementation may add in a
    // wider dtype.
    case Reduction::kMean:
      if (is_floating_or_complex(self.dtype)) return settle_means(self, source);
      for (Operand* operand : {&self, &source}) {
        FillKind& kind = operand->fill.kind;
        const bool is_wide = kind == FillKind::kHash1 || kind == FillKind::kSums5;
        if (kind != FillKind::kZeros) kind = is_wide ? FillKind::kSums5 : FillKind::kSums1;
      }
      return;
    case Reduction::kProd: {
      if (!is_floating_or_complex(self.dtype)) return;
      for (Operand* operand : {&self, &source}) {
        FillKind& kind = operand->fill.kind;
        const bool beyond_numbers = kind == FillKind::kSpecial1 || kind == FillKind::kProducts2;
        if (kind != FillKind::kZeros && kind != FillKind::kOnes)
          kind = beyond_numbers ? FillKind::kProducts2 : FillKind::kProducts1;
      }
      return;
    }
    // Numbers close to one another replace the fills for sums and conversions that round.
    case Reduction::kAmax:
    case Reduction::kAmin:
      for (Operand* operand : {&self, &source}) {
        FillKind& kind = operand->fill.kind;
        if (kind == FillKind::kSums4 || kind == FillKind::kBetween1) kind = FillKind::kClose1;
      }
      return;
  }
}

std::int64_t uses_in(Reduction reduction, const Case& c, int operand) {
  // Self's largest number plus the largest sum of the source exceeds an integer dtype by one;
  // counting each source element twice halves that sum.
  const bool is_tight =
      reduction == Reduction::kMean && !is_floating_or_complex(c.operands[0].dtype);
  return is_tight && operand != 0 ? 2 : 1;
}

Agreement agreement_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum: return Agreement::kSum;
    case Reduction::kProd: return Agreement::kExact;
    case Reduction::kMean: return Agreement::kMean;
    case Reduction::kAmax:
    case Reduction::kAmin: return Agreement::kEitherZero;
  }
  return Agreement::kExact;
}

const std::vector<ReducedPair>& scattered_pairs(const OracleInput& input) {
  static thread_local std::vector<ReducedPair> pairs;
  pairs.clear();
  for_each_scattered(input, dim_of(input.c), [&](std::int64_t element, std::int64_t from) {
    pairs.push_back({element, from});
  });
  return pairs;
}

void mean_terms(const OracleInput& input, int source, bool include_self,
                const std::vector<ReducedPair>& pairs, ContributionSink sink, void* context) {
  const LogicalOperand &self = input.operands[0],
                       &from = input.operands[static_cast<std::size_t>(source)];
  const auto size = static_cast<std::int64_t>(item_size(input.c.operands[0].dtype));
  for (const ReducedPair& pair : pairs) sink(context, {pair.element, from.data + pair.from * size});
  if (!include_self) return;
  for (std::int64_t i = 0; i < self.count; ++i) sink(context, {i, self.data + i * size});
}

void reduce_pairs(const OracleInput& input, int source, Reduction reduction, bool include_self,
                  const std::vector<ReducedPair>& pairs, std::byte* destination) {
  const DtypeInfo& dtype = info(input.c.operands[0].dtype);
  if (is_complex(input.c.operands[0].dtype))
    return add_pairs(input, source, include_self, pairs, destination);
  const auto as = dtype.family == DtypeFamily::kFloating ? reduce_as<double>
                  : dtype.is_signed                      ? reduce_as<std::int64_t>
                                                         : reduce_as<std::uint64_t>;
  as(input, source, reduction, include_self, pairs, destination);
}

}  // namespace indexfuzz
