// repeat_interleave(repeats): position i, repeats[i] times. repeat_interleave(self, repeats, dim):
// slice i of self along dim, repeats[i] times, or `repeats` times if that is one number; without
// dim, the elements of self, in one row.
// https://pytorch.org/docs/stable/generated/torch.repeat_interleave.html
//
// Agreement: exact for every dtype, since elements are only moved. Repeats are int32 or int64,
// never negative, one for each slice or a single one for all of them. output_size, if it is given,
// is their sum. A self of rank 0 has no dim: ATen refuses one, of which nothing is documented.
//
// There is no rule against an out that is repeats: the out= form computes the whole result before
// it writes it.

#include <algorithm>
#include <limits>

#include "ops/definition/operator.h"
#include "ops/families/moves.h"
#include "ops/fills/filled_positions.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settle_layout.h"

namespace indexfuzz {
namespace {

enum OverloadIndex : std::uint8_t { kPositions, kRepeatsTensor, kRepeatsNumber };
constexpr int kSelf = 0, kRepeats = 1;  // operands of kRepeatsTensor

constexpr OperandSpec kRepeatsSpec{.name = "repeats", .role = Role::kIndex, .is_count = true};
constexpr OperandSpec kOperands[] = {{"self", Role::kValue}, kRepeatsSpec};
constexpr OperandSpec kPositionsOperands[] = {kRepeatsSpec};

constexpr AttributeSpec kSizeSpec{"output_size", AttributeType::kOptionalSize};
constexpr AttributeSpec kPositionsAttributes[] = {kSizeSpec};
constexpr AttributeSpec kTensorAttributes[] = {{"dim", AttributeType::kOptionalDim}, kSizeSpec};
constexpr AttributeSpec kNumberAttributes[] = {
    {"dim", AttributeType::kOptionalDim}, kSizeSpec, {"repeats", AttributeType::kSize}};
constexpr int kDim = 0, kNumber = 2;

constexpr Parameter kPositionsParameters[] = {operand(0), attribute(0)};
constexpr Parameter kTensorParameters[] = {operand(kSelf), operand(kRepeats), attribute(kDim),
                                           attribute(1)};
constexpr Parameter kNumberParameters[] = {operand(kSelf), attribute(kNumber), attribute(kDim),
                                           attribute(1)};

// In C++ a plain number as second argument would mean the overload with a self.
constexpr Form kPositionsForms[] = {
    {Variant::kFunctional, "repeat_interleave", "Tensor",
     "torch.repeat_interleave({repeats}, output_size={output_size})",
     "at::repeat_interleave({repeats}, std::optional<int64_t>({output_size}))"},
    {Variant::kOut, "repeat_interleave", "Tensor_out",
     "torch.ops.aten.repeat_interleave.Tensor_out({repeats}, output_size={output_size}, out={out})",
     "at::repeat_interleave_out({out}, {repeats}, {output_size})"},
};
constexpr Form form_with_self(std::string_view overload) {
  return {Variant::kFunctional, "repeat_interleave", overload,
          "torch.repeat_interleave({self}, {repeats}, dim={dim}, output_size={output_size})",
          "at::repeat_interleave({self}, {repeats}, {dim}, {output_size})"};
}
constexpr Form kTensorForms[] = {form_with_self("self_Tensor")};
constexpr Form kNumberForms[] = {form_with_self("self_int")};
constexpr Overload kOverloads[] = {
    {"Tensor", kPositionsOperands, kPositionsAttributes, kPositionsParameters, kPositionsForms},
    {"self_Tensor", kOperands, kTensorAttributes, kTensorParameters, kTensorForms},
    {"self_int", std::span(kOperands, 1), kNumberAttributes, kNumberParameters, kNumberForms},
};

int repeats_of(const Case& c) {
  return c.overload == kPositions ? 0 : kRepeats;
}
std::int64_t& output_size(Case& c) {
  return c.attributes[c.overload == kPositions ? 0 : 1];
}
/// Whether dim is None, so that self is taken as one row of elements.
bool is_flat(const Case& c) {
  return c.attributes[kDim] == kNoInt;
}
Dims taken_shape(const Case& c) {
  const Dims& self = c.operands[kSelf].shape;
  return is_flat(c) ? Dims{numel(self)} : self;
}
int taken_dim(const Case& c) {
  return is_flat(c) ? 0 : wrapped_dim(c.attributes[kDim], rank(c.operands[kSelf].shape));
}

/// How many slices there are to repeat.
std::int64_t slices_of(const Case& c) {
  return c.overload == kPositions ? numel(c.operands[0].shape)
                                  : size_at(taken_shape(c), taken_dim(c));
}

/// The bound of the counts of a `repeats` tensor: small where there are many elements to repeat.
/// Those of counts1 do not depend on it, so that they stay when self shrinks.
std::int64_t count_bound(const Case& c, int operand) {
  if (operand_at(c, operand).fill.kind == FillKind::kCounts1) return kBoundOfCounts1;
  constexpr std::int64_t kUsualElementsOfResult = 1024, kLeast = 3, kMost = 64;
  const std::int64_t elements = std::max<std::int64_t>(numel(c.operands[0].shape), 1);
  return 1 + std::clamp(kUsualElementsOfResult / elements, kLeast, kMost);
}

/// How many slices the result has. A broken rule may have made a count negative, which counts as 0.
std::int64_t total_of(const Case& c) {
  const std::int64_t slices = slices_of(c);
  if (c.overload == kRepeatsNumber) return slices * c.attributes[kNumber];
  static thread_local std::vector<std::byte> bytes;
  const int repeats = repeats_of(c);
  const IndexReader counts = filled_positions(c, repeats, bytes);
  const std::int64_t many = numel(operand_at(c, repeats).shape);
  // Unsigned, since it may have made the sum overflow.
  std::uint64_t total = 0;
  for (std::int64_t i = 0; i < many; ++i)
    total += static_cast<std::uint64_t>(std::max<std::int64_t>(counts[i], 0));
  return static_cast<std::int64_t>(many == 1 ? total * static_cast<std::uint64_t>(slices) : total);
}

ResultSpec result(const Case& c) {
  if (c.overload == kPositions) return {{total_of(c)}, c.operands[0].dtype};
  Dims shape = taken_shape(c);
  shape[static_cast<std::size_t>(taken_dim(c))] = total_of(c);
  return {shape, c.operands[kSelf].dtype};
}

/// A single count, in a tensor of rank 0 or 1, stays one; others are as many as there are slices.
void fit_repeats(Case& c) {
  Dims& repeats = c.operands[kRepeats].shape;
  if (rank(repeats) > 1 || numel(repeats) != 1) repeats = {slices_of(c)};
}

/// Where an index would be negative, which is drawn in half of the cases, the fill is counts1. Its
/// large number may be that of any slice, so that there must not be many elements.
void settle_counts(const Case& c, Fill& fill) {
  constexpr std::int64_t kFewElements = 256;
  if (fill.negatives != Negatives::kNone) fill.kind = FillKind::kCounts1;
  fill.negatives = Negatives::kNone;
  if (fill.kind == FillKind::kCounts1 && numel(c.operands[0].shape) > kFewElements)
    fill.kind = FillKind::kRandom1;
}

void repair_repeats(Case& c, const Limits& limits) {
  Operand& repeats = operand_at(c, repeats_of(c));
  clamp_dtype(repeats.dtype, limits.index_dtypes);
  clamp_fill(repeats.fill, FillFamily::kIndex);
  settle_counts(c, repeats.fill);
  // Dimensions that are expanded repeat their counts, which the size of the result depends on.
  settle_layout(repeats, limits, Overlap::kAny);
  if (numel(result(c).shape) > limits.max_elements) repeats.fill.kind = FillKind::kFirst;
}

void repair_repeat_interleave(Case& c, const Limits& limits) {
  Operand& first = c.operands[0];
  clamp_shape(first.shape, limits.max_rank, limits.max_elements);
  if (c.overload == kPositions) {
    first.shape = {numel(first.shape)};
    repair_repeats(c, limits);
  } else {
    clamp_dtype(first.dtype, limits.dtypes);
    clamp_fill(first.fill, FillFamily::kValue);
    if (first.shape.empty()) c.attributes[kDim] = kNoInt;
    if (!is_flat(c)) clamp_dim(c.attributes[kDim], rank(first.shape));
    if (c.overload == kRepeatsTensor) {
      fit_repeats(c);
      repair_repeats(c, limits);
    } else {
      const std::int64_t most = limits.max_elements / std::max<std::int64_t>(numel(first.shape), 1);
      c.attributes[kNumber] = std::clamp<std::int64_t>(c.attributes[kNumber], 0, most);
    }
  }
  if (output_size(c) != kNoInt) output_size(c) = total_of(c);
}

/// Writes every slice of `self` count_of(slice) times. Without `self`, its positions in T.
template <typename CountOf>
void repeat_slices(const OracleInput& input, CountOf&& count_of, std::byte* destination) {
  const Case& c = input.c;
  const Dims shape = taken_shape(c);
  const auto dim = static_cast<std::size_t>(taken_dim(c));
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < dim; ++d) outer *= shape[d];
  for (std::size_t d = dim + 1; d < shape.size(); ++d) inner *= shape[d];
  move_elements(c.operands[kSelf].dtype, destination, input.operands[kSelf].data,
                [&](auto* to, const auto* from) {
                  for (std::int64_t o = 0; o < outer; ++o) {
                    for (std::int64_t slice = 0; slice < shape[dim]; ++slice, from += inner) {
                      for (std::int64_t n = count_of(slice); n > 0; --n, to += inner)
                        copy_run(from, inner, to);
                    }
                  }
                });
}

template <typename T>
void repeat_positions(const IndexReader& counts, std::byte* destination) {
  for (std::int64_t i = 0; i < counts.count(); ++i) {
    const T position = static_cast<T>(i);
    for (std::int64_t n = counts[i]; n > 0; --n, destination += sizeof position)
      std::memcpy(destination, &position, sizeof position);
  }
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  if (c.overload == kRepeatsNumber)
    return repeat_slices(
        input, [&](std::int64_t) { return c.attributes[kNumber]; }, destination);
  const IndexReader counts(input, repeats_of(c));
  if (c.overload == kRepeatsTensor) {
    const bool is_single = counts.count() == 1;
    return repeat_slices(
        input, [&](std::int64_t slice) { return counts[is_single ? 0 : slice]; }, destination);
  }
  if (c.operands[0].dtype == Dtype::kInt64)
    repeat_positions<std::int64_t>(counts, destination);
  else
    repeat_positions<std::int32_t>(counts, destination);
}

bool has_repeats(const Case& c) {
  return c.overload != kRepeatsNumber;
}

/// An output_size that is given stays the sum, so that the negative count alone is wrong; false for
/// a count that is for no slice, at which ATen does not look.
bool make_count_negative(Case& c) {
  if (!has_repeats(c) || slices_of(c) == 0 || !poke_index(c, repeats_of(c), -1)) return false;
  const Operand& repeats = operand_at(c, repeats_of(c));
  if (output_size(c) == kNoInt || numel(repeats.shape) == 1) return true;
  const std::int64_t others = total_of(c);
  if (repeats.poke_value >= -others) output_size(c) = others + repeats.poke_value;
  return true;
}

/// Makes all counts the least number of which as many add up to 2^64 or more, so that a sum of 64
/// bits wraps and looks small.
bool overflow_sum(Case& c) {
  if (!has_repeats(c)) return false;
  constexpr std::int64_t kLeastSlices = 3;  // two of the largest int64 stay below 2^64
  const std::int64_t slices = slices_of(c);
  Operand& repeats = operand_at(c, repeats_of(c));
  if (slices < kLeastSlices || repeats.dtype != Dtype::kInt64) return false;
  for (std::size_t d = 0; d < repeats.shape.size(); ++d) {
    if (repeats.shape[d] != 1) expand_dimension(repeats, d);
  }
  poke(repeats, 0,
       static_cast<std::int64_t>(
           std::numeric_limits<std::uint64_t>::max() / static_cast<std::uint64_t>(slices) + 1));
  output_size(c) = kNoInt;
  return true;
}

constexpr IllegalRule kRules[] = {
    {1, "repeats_negative", make_count_negative},
    {2, "number_negative",
     [](Case& c) {
       if (c.overload != kRepeatsNumber) return false;
       c.attributes[kNumber] = -1;
       output_size(c) = kNoInt;
       return true;
     }},
    {3, "repeats_dtype",
     [](Case& c) { return has_repeats(c) && become_floating(c, repeats_of(c)); }},
    {4, "repeats_rank",
     [](Case& c) { return has_repeats(c) && add_dimension(c, repeats_of(c), 2); }},
    {5, "repeats_count",
     [](Case& c) {
       if (c.overload != kRepeatsTensor) return false;
       output_size(c) = kNoInt;
       return become_vector(c, kRepeats, another_size(slices_of(c)));
     }},
    {6, "dim_above",
     [](Case& c) { return c.overload != kPositions && !is_flat(c) && dim_above(c); }},
    {7, "dim_below",
     [](Case& c) { return c.overload != kPositions && !is_flat(c) && dim_below(c); }},
    // Given to spare a look at the counts, so that a kernel may well trust it. ATen does not read
    // it where there is no count.
    {8, "output_size_above",
     [](Case& c) {
       if (output_size(c) == kNoInt || slices_of(c) == 0) return false;
       ++output_size(c);
       return true;
     },
     kByValue | kATenOnly},
    {9, "output_size_below",
     [](Case& c) {
       if (output_size(c) == kNoInt || output_size(c) == 0) return false;
       --output_size(c);
       return true;
     },
     kByValue | kATenOnly},
    {10, "out_dtype", change_out_dtype},
    {11, "out_overlaps_itself", overlap_written},
    // A kernel that does not look at the sum may run out of memory first.
    {12, "repeats_sum_overflows", overflow_sum, kByValue | kATenOnly},
};

const OperatorInfo kInfo{
    .number = 25,
    .name = "repeat_interleave",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_repeat_interleave,
    .result = result,
    .index_bound = count_bound,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
