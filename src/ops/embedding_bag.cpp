// embedding_bag(weight, indices, offsets, mode, per_sample_weights, include_last_offset,
// padding_idx): bag i is the sum, mean or maximum of the rows of weight that
// indices[offsets[i]:offsets[i + 1]] name, but for the row padding_idx, which counts in no bag.
// Without include_last_offset the last bag extends to the last index.
// https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding_bag.html
//
// Agreement: operands are filled so that sums, also of rows times their per_sample_weights, are
// exact in every order, or so that a single product or the sum of two numbers is rounded once. A
// mean is such an exact sum divided once, or as near to it as mean.h says. A maximum is never taken
// of NaN, for which it is not documented. A bag in which no row counts is all zeros.
//
// Indices and offsets are one-dimensional, int32 or int64, and not always of the same dtype.
// Offsets begin with 0 and never decrease. An included last offset is the number of indices or, as
// torch.nn.functional says, the end of the last bag; only ATen is called on cases of the latter
// kind. Weights have one of ATen's dtypes: floating point of more than 8 bits.
//
// ATen returns three more tensors for its backward pass; they are not judged.

#include <algorithm>
#include <vector>

#include "ops/definition/operator.h"
#include "ops/families/bags.h"
#include "ops/families/moves.h"
#include "ops/fills/filled_positions.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/numbers/cast.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

using namespace bag;

constexpr std::string_view kModes[] = {"sum", "mean", "max"};
// Only a sum takes per_sample_weights.
constexpr std::span kWeightedModes(kModes, 1);

constexpr OperandSpec kOperands[] = {{"indices", Role::kIndex},
                                     {"offsets", Role::kIndex},
                                     {"weight", Role::kValue},
                                     {"per_sample_weights", Role::kValue}};
constexpr std::span kUnweighted(kOperands, 3);
constexpr AttributeSpec kPaddedAttributes[] = {{"mode", AttributeType::kCode, kModes},
                                               {"include_last_offset", AttributeType::kBool},
                                               {"padding_idx", AttributeType::kOptionalRow},
                                               {"scale_grad_by_freq", AttributeType::kBool},
                                               {"sparse", AttributeType::kBool}};
constexpr AttributeSpec kPaddedWeightedAttributes[] = {
    {"mode", AttributeType::kCode, kWeightedModes},
    kPaddedAttributes[1],
    kPaddedAttributes[2],
    kPaddedAttributes[3],
    kPaddedAttributes[4]};
constexpr std::span kAttributes(kPaddedAttributes, 2);
constexpr std::span kWeightedAttributes(kPaddedWeightedAttributes, 2);

// scale_grad_by_freq and sparse matter only to the gradient.
constexpr Parameter kParameters[] = {operand(kWeight), operand(kIndices), operand(kOffsets),
                                     attribute(kMode), attribute(kIncludeLastOffset)};
constexpr Parameter kWeightedParameters[] = {
    operand(kWeight), operand(kIndices),       operand(kOffsets),
    attribute(kMode), operand(kSampleWeights), attribute(kIncludeLastOffset)};
constexpr Parameter kPaddedParameters[] = {operand(kWeight),
                                           operand(kIndices),
                                           operand(kOffsets),
                                           attribute_without_effect(kScaleGradByFreq),
                                           attribute(kMode),
                                           attribute_without_effect(kSparse),
                                           nothing("per_sample_weights"),
                                           attribute(kIncludeLastOffset),
                                           attribute(kPaddingIdx)};
constexpr Parameter kPaddedWeightedParameters[] = {
    operand(kWeight),        operand(kIndices),
    operand(kOffsets),       attribute_without_effect(kScaleGradByFreq),
    attribute(kMode),        attribute_without_effect(kSparse),
    operand(kSampleWeights), attribute(kIncludeLastOffset),
    attribute(kPaddingIdx)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "embedding_bag", "",
     "torch.embedding_bag({weight}, {indices}, {offsets}, mode={mode}, "
     "include_last_offset={include_last_offset})[0]",
     "std::get<0>(at::embedding_bag({weight}, {indices}, {offsets}, false, {mode}, false, {}, "
     "{include_last_offset}))"}};
constexpr Form kWeightedForms[] = {
    {Variant::kFunctional, "embedding_bag", "",
     "torch.embedding_bag({weight}, {indices}, {offsets}, mode={mode}, "
     "per_sample_weights={per_sample_weights}, include_last_offset={include_last_offset})[0]",
     "std::get<0>(at::embedding_bag({weight}, {indices}, {offsets}, false, {mode}, false, "
     "{per_sample_weights}, {include_last_offset}))"}};
constexpr Form kPaddedForms[] = {
    {Variant::kFunctional, "embedding_bag", "padding_idx",
     "torch.embedding_bag({weight}, {indices}, {offsets}, {scale_grad_by_freq}, {mode}, {sparse}, "
     "None, {include_last_offset}, {padding_idx})[0]",
     "std::get<0>(at::embedding_bag({weight}, {indices}, {offsets}, {scale_grad_by_freq}, {mode}, "
     "{sparse}, {}, {include_last_offset}, {padding_idx}))"}};
constexpr Form kPaddedWeightedForms[] = {
    {Variant::kFunctional, "embedding_bag", "padding_idx",
     "torch.embedding_bag({weight}, {indices}, {offsets}, {scale_grad_by_freq}, {mode}, {sparse}, "
     "{per_sample_weights}, {include_last_offset}, {padding_idx})[0]",
     "std::get<0>(at::embedding_bag({weight}, {indices}, {offsets}, {scale_grad_by_freq}, {mode}, "
     "{sparse}, {per_sample_weights}, {include_last_offset}, {padding_idx}))"}};
constexpr std::size_t kResults = 4;
constexpr Overload kOverloads[] = {
    {"plain", kUnweighted, kAttributes, kParameters, kForms, kResults},
    {"weighted", kOperands, kWeightedAttributes, kWeightedParameters, kWeightedForms, kResults},
    {"padded", kUnweighted, kPaddedAttributes, kPaddedParameters, kPaddedForms, kResults},
    {"padded_weighted", kOperands, kPaddedWeightedAttributes, kPaddedWeightedParameters,
     kPaddedWeightedForms, kResults}};

ResultSpec result(const Case& c) {
  const Operand& weight = c.operands[kWeight];
  return {{std::max<std::int64_t>(bag_count(c), 0), weight.shape.back()}, weight.dtype};
}

/// Terms are counted in the steps of their factors, which are at most 2 in steps of 1/2: a product
/// is up to four of them.
std::int64_t steps_of_a_term(const Case& c, int operand) {
  return operand == kWeight && is_weighted(c) ? 4 : 1;
}

/// Gives the shape one dimension with all its elements, but at most `most`.
void flatten(Dims& shape, std::int64_t most) {
  clamp_shape(shape, kMaxDims, kMostElements);
  shape = {std::min(numel(shape), most)};
}

/// Makes padding_idx, where there is one, a row counted from either end, or None. Of maxima
/// torch.nn.functional takes neither of the flags that come with it.
void clamp_padding(Case& c) {
  if (!takes_padding(c)) return;
  for (std::int64_t* const flag : {&c.attributes[kScaleGradByFreq], &c.attributes[kSparse]}) {
    clamp_bool(*flag);
    if (c.attributes[kMode] == kMax) *flag = 0;
  }
  const std::int64_t rows = c.operands[kWeight].shape[0];
  std::int64_t& padding = c.attributes[kPaddingIdx];
  if (padding == kNoInt || (-rows <= padding && padding < rows)) return;
  padding = rows == 0 ? kNoInt : padding % rows;
}

void repair_embedding_bag(Case& c, const Limits& limits) {
  Operand& indices = c.operands[kIndices];
  Operand& offsets = c.operands[kOffsets];
  Operand& weight = c.operands[kWeight];
  clamp_choice(c.attributes[kMode], (is_weighted(c) ? kWeightedModes : kModes).size());
  clamp_bool(c.attributes[kIncludeLastOffset]);
  clamp_dtype(weight.dtype, within(kFloats, limits));
  clamp_dtype(indices.dtype, limits.index_dtypes);
  clamp_dtype(offsets.dtype, limits.index_dtypes);
  clamp_shape(weight.shape, limits.max_rank, limits.max_elements);
  weight.shape.resize(2, 1);
  clamp_padding(c);
  const std::int64_t most = limits.max_elements / std::max<std::int64_t>(weight.shape[1], 1);
  flatten(indices.shape, weight.shape[0] == 0 ? 0 : most);
  // sums4, the fill for sums that are rounded once, needs both a self and a source. A bag has no
  // self: it gets hash1 and at most two terms instead, or one product.
  if (!is_weighted(c) && c.attributes[kMode] == kSum && weight.fill.kind == FillKind::kSums4) {
    weight.fill.kind = FillKind::kHash1;
    flatten(indices.shape, 2);
  }
  if (is_weighted(c) && c.operands[kSampleWeights].fill.kind == FillKind::kSums4) {
    c.operands[kSampleWeights].fill.kind = FillKind::kHash1;
    flatten(indices.shape, 1);
  }
  flatten(offsets.shape, most);
  if (offsets.shape[0] == 0 && (numel(indices.shape) > 0 || c.attributes[kIncludeLastOffset] != 0))
    offsets.shape[0] = 1;
  clamp_fill(indices.fill, FillFamily::kIndex);
  settle_offsets(c);
  // A single offset, if it is the included last one, leaves no bag for an index.
  if (bag_count(c) == 0 && !ends_early(c)) clamp_to_nothing(indices.shape);
  // Offsets that share one value cannot both begin with 0 and end with the number of indices.
  if (c.attributes[kIncludeLastOffset] != 0) {
    for (DimLayout& dim : offsets.layout.dims) dim.expanded = false;
    offsets.fill.repeats = 0;
  }
  if (is_weighted(c)) {
    Operand& samples = c.operands[kSampleWeights];
    samples.dtype = weight.dtype;
    samples.shape = indices.shape;
  }
  settle_bag_fills(c);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  const ResultSpec spec = result(c);
  const std::int64_t width = spec.shape[1];
  const IndexReader index(input, kIndices), offset(input, kOffsets);
  const auto widen = [&](int operand, std::vector<double>& numbers) {
    const LogicalOperand& from = input.operands[static_cast<std::size_t>(operand)];
    numbers.resize(static_cast<std::size_t>(from.count));
    convert(spec.dtype, from.data, Dtype::kDouble, reinterpret_cast<std::byte*>(numbers.data()),
            from.count);
  };
  const std::int64_t padding = padding_row(c);
  static thread_local std::vector<double> weight, samples, bag;
  widen(kWeight, weight);
  samples.clear();
  if (is_weighted(c)) widen(kSampleWeights, samples);
  bag.resize(static_cast<std::size_t>(width));
  for_each_bag(c, offset, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    std::ranges::fill(bag, 0);
    std::int64_t rows = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      if (index[i] == padding) continue;
      ++rows;
      const double factor = samples.empty() ? 1 : samples[static_cast<std::size_t>(i)];
      for (std::size_t k = 0; k < bag.size(); ++k) {
        const double value = factor * weight[static_cast<std::size_t>(index[i] * width) + k];
        if (c.attributes[kMode] != kMax)
          bag[k] += value;
        else
          bag[k] = rows == 1 ? value : std::max(bag[k], value);
      }
    }
    if (c.attributes[kMode] == kMean && rows > 0) {
      for (double& number : bag) number /= static_cast<double>(rows);
    }
    convert(Dtype::kDouble, reinterpret_cast<const std::byte*>(bag.data()), spec.dtype, destination,
            width);
    destination += static_cast<std::size_t>(width) * item_size(spec.dtype);
  });
}

/// Passes on every term of the bags' means.
void contributions(const OracleInput& input, ContributionSink sink, void* context) {
  const ResultSpec spec = result(input.c);
  const std::int64_t width = spec.shape[1];
  const auto size = static_cast<std::int64_t>(item_size(spec.dtype));
  const IndexReader index(input, kIndices), offset(input, kOffsets);
  const std::int64_t padding = padding_row(input.c);
  for_each_bag(input.c, offset, [&](std::int64_t bag, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (index[i] == padding) continue;
      for (std::int64_t k = 0; k < width; ++k)
        sink(context,
             {bag * width + k, input.operands[kWeight].data + (index[i] * width + k) * size});
    }
  });
}

/// Whether every index is known to be read, and its row used: kernels do not read indices behind
/// the last bag.
bool takes_elements(const Case& c) {
  return !ends_early(c) && numel(c.operands[kIndices].shape) > 0 &&
         c.operands[kWeight].shape.back() > 0;
}

/// Makes one offset smaller than the one before it.
bool offsets_fall(Case& c) {
  if (!takes_elements(c) || c.operands[kOffsets].layout.dims[0].expanded) return false;
  std::vector<std::byte> bytes;
  const IndexReader offsets = filled_positions(c, kOffsets, bytes);
  for (std::int64_t p = numel(c.operands[kOffsets].shape); p-- > 1;) {
    if (offsets[p - 1] == 0) continue;
    poke(c.operands[kOffsets], p, offsets[p - 1] - 1);
    return true;
  }
  return false;
}

/// Makes the first bag begin after the first index.
bool offsets_begin_later(Case& c) {
  const Layout& layout = c.operands[kOffsets].layout;
  const bool is_shared = layout.dims[0].expanded;
  if (!takes_elements(c) || is_shared || bag_count(c) < 1) return false;
  std::vector<std::byte> bytes;
  const IndexReader offsets = filled_positions(c, kOffsets, bytes);
  const bool is_alone = numel(c.operands[kOffsets].shape) == 1;
  if (!is_alone && offsets[1] == 0) return false;  // the offsets would decrease
  poke(c.operands[kOffsets], 0, 1);
  return true;
}

/// Makes a vector that is read a matrix with one row.
bool become_one_row(Case& c, int vector) {
  if (!takes_elements(c)) return false;
  insert_dimension(c.operands[vector], 0, 1);
  return true;
}

bool set_padding(Case& c, std::int64_t row) {
  if (!takes_padding(c) || !takes_elements(c)) return false;
  c.attributes[kPaddingIdx] = row;
  return true;
}

constexpr IllegalRule kRules[] = {
    {1, "index_below", [](Case& c) { return takes_elements(c) && poke_index(c, kIndices, -1); }},
    {2, "index_above",
     [](Case& c) {
       return takes_elements(c) && poke_index(c, kIndices, c.operands[kWeight].shape[0]);
     }},
    {3, "index_dtype", [](Case& c) { return become_floating(c, kIndices); }},
    {4, "offsets_fall", offsets_fall},
    {5, "offset_below", [](Case& c) { return takes_elements(c) && poke_index(c, kOffsets, -1); }},
    {6, "offset_above",
     [](Case& c) {
       return takes_elements(c) && poke_index(c, kOffsets, numel(c.operands[kIndices].shape) + 1);
     }},
    {7, "weight_rank", [](Case& c) { return add_dimension(c, kWeight, 3); }},
    {8, "sample_weights_count",
     [](Case& c) {
       if (!is_weighted(c) || !takes_elements(c)) return false;
       Operand& samples = c.operands[kSampleWeights];
       resize_dimension(samples, 0, samples.shape[0] + 1);
       return true;
     }},
    {9, "sample_weights_dtype",
     [](Case& c) {
       return is_weighted(c) && takes_elements(c) && mismatch_dtype(c, kSampleWeights, kWeight);
     }},
    // Without offsets there are no bags, so that an empty result may be right.
    {10, "no_offsets", [](Case& c) { return takes_elements(c) && empty_dimension(c, kOffsets, 0); },
     kATenOnly | kMayBeEmpty},
    {11, "mode_unknown",
     [](Case& c) {
       if (is_weighted(c) || !takes_elements(c)) return false;
       c.attributes[kMode] = kMax + 1;
       return true;
     },
     kATenOnly},
    {12, "offsets_begin_later", offsets_begin_later},
    {13, "index_dtype_narrow", [](Case& c) { return become_narrow(c, kIndices); }, kATenOnly},
    // A kernel that does not look never meets such a row.
    {14, "padding_above", [](Case& c) { return set_padding(c, c.operands[kWeight].shape[0]); },
     kATenOnly},
    {15, "padding_below", [](Case& c) { return set_padding(c, -c.operands[kWeight].shape[0] - 1); },
     kATenOnly},
    // Beside offsets they are a vector; a matrix would be bags of its own. A kernel may flatten it.
    {16, "index_rank", [](Case& c) { return !is_weighted(c) && become_one_row(c, kIndices); },
     kATenOnly},
    {17, "offsets_rank", [](Case& c) { return become_one_row(c, kOffsets); }, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 22,
    .name = "embedding_bag",
    .overloads = kOverloads,
    .rules = kRules,
    .least_rank = 2,
    .repair = repair_embedding_bag,
    .result = result,
    .index_bound = [](const Case& c, int operand) -> std::int64_t {
      return operand == kIndices ? c.operands[kWeight].shape[0] : offsets_bound(c);
    },
    .table =
        [](const Case& c) {
          return padding_row(c) < 0 ? TableUse{kWeight, kIndices} : TableUse{};
        },
    .oracle = oracle,
    .agreement =
        [](const Case& c) {
          switch (c.attributes[kMode]) {
            case kMean: return Agreement::kMean;
            case kMax: return Agreement::kEitherZero;
            // A sum of -0.0, which may be zero times a negative number, is 0.0 if begun with zero.
            default:
              return is_weighted(c) || c.operands[kWeight].fill.kind == FillKind::kHash1
                         ? Agreement::kEitherZero
                         : Agreement::kExact;
          }
        },
    .uses = [](const Case& c, int operand) -> std::int64_t {
      if (operand != kWeight) return 1;
      return std::max<std::int64_t>(most_uses_of_a_row(c), 1) * steps_of_a_term(c, operand);
    },
    .terms = [](const Case& c,
                int operand) { return longest_bag(c) * steps_of_a_term(c, operand); },
    .aten_only = ends_early,
    .contributions = contributions,
    .derivatives = Derivatives::kNone,
    .can_be_batched = false,  // offsets of a flipped order are illegal
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
