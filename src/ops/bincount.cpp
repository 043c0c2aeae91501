// bincount(self, weights, minlength): how often each of 0, 1, 2, … occurs in self, up to the
// largest number there is, but at least for minlength of them. With weights it is the sum of the
// weights at the places where the number occurs.
// https://pytorch.org/docs/stable/generated/torch.bincount.html
//
// Agreement: counts are exact. Sums are float32 for weights of float32 and float64 for all others,
// and the weights are drawn so that these are exact in every order. A zero may have either sign: a
// sum that is begun with 0.0 loses that of -0.0.
//
// Self is one row of integers of 8 to 64 bits, none of them negative. Without elements it gives
// int64 zeros, with weights as without; only ATen is held to that, since no dtype is documented.
// Left out are complex weights, of which ATen adds the real parts alone.
//
// There is no rule against an out that is self or weights: the out= form computes the whole result
// before it writes it.

#include <algorithm>
#include <limits>
#include <vector>

#include "ops/definition/operator.h"
#include "ops/fills/write_fill.h"
#include "ops/fills/write_positions.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/numbers/cast.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settled_sums.h"

namespace indexfuzz {
namespace {

enum OverloadIndex : std::uint8_t { kPlain, kWeighted };
constexpr int kSelf = 0, kWeights = 1;
constexpr int kMinlength = 0;

constexpr OperandSpec kOperands[] = {
    {.name = "self", .role = Role::kIndex, .is_count = true, .any_integer = true},
    {"weights", Role::kValue}};
constexpr AttributeSpec kAttributes[] = {{"minlength", AttributeType::kSize}};
constexpr Parameter kParameters[] = {operand(kSelf), nothing("weights"), attribute(kMinlength)};
constexpr Parameter kWeightedParameters[] = {operand(kSelf), operand(kWeights),
                                             attribute(kMinlength)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "bincount", "", "torch.bincount({self}, minlength={minlength})",
     "at::bincount({self}, {}, {minlength})"},
    {Variant::kOut, "bincount", "out",
     "torch.ops.aten.bincount.out({self}, minlength={minlength}, out={out})",
     "at::bincount_out({out}, {self}, {}, {minlength})"},
};
constexpr Form kWeightedForms[] = {
    {Variant::kFunctional, "bincount", "",
     "torch.bincount({self}, {weights}, minlength={minlength})",
     "at::bincount({self}, {weights}, {minlength})"},
    {Variant::kOut, "bincount", "out",
     "torch.ops.aten.bincount.out({self}, {weights}, minlength={minlength}, out={out})",
     "at::bincount_out({out}, {self}, {weights}, {minlength})"},
};
constexpr Overload kOverloads[] = {
    {"plain", std::span(kOperands, 1), kAttributes, kParameters, kForms},
    {"weighted", kOperands, kAttributes, kWeightedParameters, kWeightedForms}};

constexpr DtypeSet kRealDtypes = kAllDtypes & ~set_of(Dtype::kComplexHalf) &
                                 ~set_of(Dtype::kComplexFloat) & ~set_of(Dtype::kComplexDouble);

bool is_weighted(const Case& c) {
  return c.overload == kWeighted;
}
bool has_elements(const Case& c) {
  return numel(c.operands[kSelf].shape) > 0;
}

/// The dtype in which an operand's elements take part.
Dtype cast_to(const Case& c, int operand) {
  const Dtype own = operand_at(c, operand).dtype;
  const bool is_term = is_weighted(c) && operand == kWeights;
  return is_term && own != Dtype::kFloat ? Dtype::kDouble : own;
}

/// Numbers lie below twice minlength, so that often some are beyond it, or below how many they are,
/// so that some are equal.
std::int64_t bound_of_numbers(const Case& c, int) {
  const Operand& self = c.operands[kSelf];
  const std::int64_t bound =
      std::max<std::int64_t>({1, numel(self.shape), 2 * c.attributes[kMinlength]});
  return std::min(bound, std::int64_t{1} << std::min(info(self.dtype).exact_bits, 32));
}

/// Self's elements, whatever their dtype is.
void read_numbers(const Case& c, const std::byte* elements, std::vector<std::int64_t>& numbers) {
  const Operand& self = c.operands[kSelf];
  numbers.resize(static_cast<std::size_t>(numel(self.shape)));
  convert(self.dtype, elements, Dtype::kInt64, reinterpret_cast<std::byte*>(numbers.data()),
          numel(self.shape));
}

/// The result of a case whose self holds these numbers.
ResultSpec result_of(const Case& c, const std::vector<std::int64_t>& numbers) {
  std::int64_t bins = std::max<std::int64_t>(c.attributes[kMinlength], 0);
  for (const std::int64_t number : numbers) bins = std::max(bins, number + 1);
  return {{bins}, is_weighted(c) && has_elements(c) ? cast_to(c, kWeights) : Dtype::kInt64};
}

ResultSpec result(const Case& c) {
  static thread_local std::vector<std::byte> bytes;
  static thread_local std::vector<std::int64_t> numbers;
  const Operand& self = c.operands[kSelf];
  bytes.resize(static_cast<std::size_t>(numel(self.shape)) * item_size(self.dtype));
  write_fill(c, kSelf, bytes.data());
  read_numbers(c, bytes.data(), numbers);
  return result_of(c, numbers);
}

/// Whether any numbers of the dtype have exact sums in float64. They are multiples of 2^-24 (of
/// float16's and float8_e5m2's) below 2^16: 53 bits have room for 2^13 of them.
bool has_exact_sums(const Operand& weights) {
  const DtypeInfo& dtype = info(weights.dtype);
  const bool has_short_range =
      dtype.exact_bits <= info(Dtype::kHalf).exact_bits && weights.dtype != Dtype::kBFloat16;
  return has_short_range && numel(weights.shape) <= 1 << 13;
}

/// `adds_once`: each sum has one term at most.
void settle_weights(Operand& weights, bool adds_once) {
  FillKind& kind = weights.fill.kind;
  clamp_fill(weights.fill, FillFamily::kValue);
  if (!is_floating_or_complex(weights.dtype)) {
    // What float64 holds of an integer dtype is 32 bits, which leaves room for all terms; only
    // between1 has more and is rounded.
    if (kind == FillKind::kBetween1 && !adds_once) kind = FillKind::kHash1;
    return;
  }
  if (kind == FillKind::kHash1 && has_exact_sums(weights)) return;
  // Not hash1: a GPU that adds to its memory takes subnormal floats for zero.
  if (adds_once && (kind == FillKind::kHash1 || kind == FillKind::kClose1)) {
    kind = FillKind::kClose1;
    return;
  }
  settle_terms(weights);
}

void repair_bincount(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  clamp_dtype(self.dtype, limits.index_dtypes);
  clamp_shape(self.shape, kMaxDims, limits.max_elements);
  self.shape = {numel(self.shape)};
  clamp_fill(self.fill, FillFamily::kIndex);
  // Numbers lie below twice as much.
  c.attributes[kMinlength] =
      std::clamp<std::int64_t>(c.attributes[kMinlength], 0, limits.max_elements / 2);
  if (!is_weighted(c)) return;
  Operand& weights = c.operands[kWeights];
  clamp_dtype(weights.dtype, within(kRealDtypes, limits));
  weights.shape = self.shape;
  settle_weights(weights, is_distinct(self, bound_of_numbers(c, kSelf)));
}

void count(const std::vector<std::int64_t>& numbers, std::byte* destination, std::int64_t bins) {
  auto* const counts = reinterpret_cast<std::int64_t*>(destination);
  std::fill_n(counts, bins, 0);
  for (const std::int64_t number : numbers) ++counts[number];
}

/// float32's sums are exact in float64, too.
void add_weights(const OracleInput& input, const std::vector<std::int64_t>& numbers,
                 std::byte* destination, const ResultSpec& spec) {
  static thread_local std::vector<double> weights, sums;
  weights.resize(numbers.size());
  sums.assign(static_cast<std::size_t>(spec.shape[0]), 0);
  convert(input.c.operands[kWeights].dtype, input.operands[kWeights].data, Dtype::kDouble,
          reinterpret_cast<std::byte*>(weights.data()), input.operands[kWeights].count);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    sums[static_cast<std::size_t>(numbers[i])] += weights[i];
  convert(Dtype::kDouble, reinterpret_cast<const std::byte*>(sums.data()), spec.dtype, destination,
          spec.shape[0]);
}

void oracle(const OracleInput& input, std::byte* destination) {
  static thread_local std::vector<std::int64_t> numbers;
  read_numbers(input.c, input.operands[kSelf].data, numbers);
  const ResultSpec spec = result_of(input.c, numbers);
  if (spec.dtype == Dtype::kInt64)
    count(numbers, destination, spec.shape[0]);
  else
    add_weights(input, numbers, destination, spec);
}

/// Gives weights another number of elements. ATen does not look at the weights of no elements.
bool resize_weights(Case& c, std::int64_t more) {
  if (!is_weighted(c) || !has_elements(c)) return false;
  resize_dimension(c.operands[kWeights], 0, numel(c.operands[kSelf].shape) + more);
  return true;
}

/// Makes the last number so large that there would be more counts than int64 can number.
bool overflow_counts(Case& c) {
  Operand& self = c.operands[kSelf];
  // An element that slides would share its memory with others.
  if (self.dtype != Dtype::kInt64 || !has_elements(c) || has_sliding(self.layout)) return false;
  poke(self, numel(self.shape) - 1, std::numeric_limits<std::int64_t>::max());
  return true;
}

constexpr IllegalRule kRules[] = {
    {1, "self_negative",
     [](Case& c) { return c.operands[kSelf].dtype != Dtype::kUInt8 && poke_index(c, kSelf, -1); }},
    {2, "self_dtype", [](Case& c) { return become_floating(c, kSelf); }},
    {3, "self_rank", [](Case& c) { return add_dimension(c, kSelf, 2); }},
    // Several weights would not be as many as the one number that is left.
    {4, "self_rank_lower",
     [](Case& c) {
       const bool fits = !is_weighted(c) || numel(c.operands[kWeights].shape) == 1;
       return fits && remove_dimension(c, kSelf, 1);
     }},
    {5, "minlength_below",
     [](Case& c) {
       c.attributes[kMinlength] = -1;
       return true;
     }},
    {6, "weights_count", [](Case& c) { return resize_weights(c, 1); }},
    {7, "weights_count_lower", [](Case& c) { return resize_weights(c, -1); }},
    {8, "weights_rank",
     [](Case& c) { return is_weighted(c) && has_elements(c) && add_dimension(c, kWeights, 2); }},
    {9, "out_dtype", change_out_dtype},
    {10, "out_overlaps_itself", overlap_written},
    {11, "counts_overflow", overflow_counts, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 42,
    .name = "bincount",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_bincount,
    .result = result,
    .index_bound = bound_of_numbers,
    .cast_to = cast_to,
    .oracle = oracle,
    .agreement =
        [](const Case& c) { return is_weighted(c) ? Agreement::kEitherZero : Agreement::kExact; },
    .aten_only = [](const Case& c) { return is_weighted(c) && !has_elements(c); },
    .derivatives = Derivatives::kNone,
    .shape_by_values = true,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
