// embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse): a copy of the rows of weight
// that indices names, in the shape of indices with the dimension of a row appended.
// https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html
//
// Agreement: exact for every dtype, since elements are only moved. Indices are int32 or int64 of
// any rank, never negative; weight has two dimensions. padding_idx, scale_grad_by_freq and sparse
// matter only to the gradient: the row padding_idx is returned like any other.
//
// There is no rule against an out that is an input: the out= form computes the whole result before
// it writes it.

#include "ops/definition/operator.h"
#include "ops/families/moves.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kWeight = 0, kIndices = 1;
constexpr int kPaddingIdx = 0, kScaleGradByFreq = 1, kSparse = 2;

constexpr OperandSpec kOperands[] = {{"weight", Role::kValue}, {"indices", Role::kIndex}};
constexpr AttributeSpec kAttributes[] = {{"padding_idx", AttributeType::kRow},
                                         {"scale_grad_by_freq", AttributeType::kBool},
                                         {"sparse", AttributeType::kBool}};
constexpr Parameter kParameters[] = {operand(kWeight), operand(kIndices), attribute(kPaddingIdx),
                                     attribute(kScaleGradByFreq), attribute(kSparse)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "embedding", "",
     "torch.embedding({weight}, {indices}, {padding_idx}, {scale_grad_by_freq}, {sparse})",
     "at::embedding({weight}, {indices}, {padding_idx}, {scale_grad_by_freq}, {sparse})"},
    {Variant::kOut, "embedding", "out",
     "torch.ops.aten.embedding.out({weight}, {indices}, {padding_idx}, {scale_grad_by_freq}, "
     "{sparse}, out={out})",
     "at::embedding_out({out}, {weight}, {indices}, {padding_idx}, {scale_grad_by_freq}, "
     "{sparse})"},
};
// Left out: embedding_renorm_, which writes its weight.
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

std::int64_t rows(const Case& c) {
  return c.operands[kWeight].shape[0];
}

ResultSpec result(const Case& c) {
  ResultSpec spec{c.operands[kIndices].shape, c.operands[kWeight].dtype};
  // back(), since a broken rule may leave weight only one dimension.
  spec.shape.push_back(c.operands[kWeight].shape.back());
  return spec;
}

void repair_embedding(Case& c, const Limits& limits) {
  Operand& weight = c.operands[kWeight];
  Operand& indices = c.operands[kIndices];
  clamp_dtype(weight.dtype, limits.dtypes);
  clamp_dtype(indices.dtype, limits.index_dtypes);
  clamp_shape(weight.shape, limits.max_rank, limits.max_elements);
  weight.shape.resize(2, 1);
  // With duplicates there may be more indices than rows, as long as the result fits the limits.
  const std::int64_t width = std::max<std::int64_t>(weight.shape[1], 1);
  clamp_shape(indices.shape, std::min(limits.max_rank, kMaxDims - 1), limits.max_elements / width);
  if (rows(c) == 0) clamp_to_nothing(indices.shape);
  // Negative values count from the end, so that kNoRow, which is -1, also stands for the last row.
  std::int64_t& padding = c.attributes[kPaddingIdx];
  const std::int64_t padded = std::max<std::int64_t>(rows(c), 1);
  if (padding < -padded || padding >= rows(c)) padding = rows(c) == 0 ? kNoRow : padding % padded;
  clamp_bool(c.attributes[kScaleGradByFreq]);
  clamp_bool(c.attributes[kSparse]);
  clamp_fill(weight.fill, FillFamily::kValue);
  clamp_fill(indices.fill, FillFamily::kIndex);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Operand& weight = input.c.operands[kWeight];
  const std::int64_t width = weight.shape[1];
  const IndexReader index(input, kIndices);
  move_elements(weight.dtype, destination, input.operands[kWeight].data,
                [&](auto* to, const auto* from) {
                  for (std::int64_t i = 0; i < index.count(); ++i)
                    copy_run(from + index[i] * width, width, to + i * width);
                });
}

bool selects_elements(const Case& c) {
  return numel(result(c).shape) > 0;
}

constexpr IllegalRule kRules[] = {
    {1, "index_below", [](Case& c) { return selects_elements(c) && poke_index(c, kIndices, -1); }},
    {2, "index_above",
     [](Case& c) { return selects_elements(c) && poke_index(c, kIndices, rows(c)); }},
    {3, "index_dtype", [](Case& c) { return become_floating(c, kIndices); }},
    {4, "weight_rank", [](Case& c) { return add_dimension(c, kWeight, 3); }},
    {5, "out_dtype", change_out_dtype},
    {6, "out_overlaps_itself", overlap_written},
    {7, "weight_empty",
     [](Case& c) { return selects_elements(c) && empty_dimension(c, kWeight, 0); }, kByValue},
    {8, "weight_rank_lower", [](Case& c) { return remove_dimension(c, kWeight, 2); }},
    {9, "index_dtype_narrow", [](Case& c) { return become_narrow(c, kIndices); }, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 17,
    .name = "embedding",
    .overloads = kOverloads,
    .rules = kRules,
    .least_rank = 2,
    .repair = repair_embedding,
    .result = result,
    .index_bound = [](const Case& c, int) { return rows(c); },
    .table =
        [](const Case&) {
          return TableUse{kWeight, kIndices};
        },
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
