// embedding_dense_backward(grad_output, indices, num_weights, padding_idx, scale_grad_by_freq): the
// gradient of an embedding's weight. To num_weights rows of zeros, adds row i of grad_output to row
// indices[i], except to row padding_idx. With scale_grad_by_freq, then divides each row by how
// often the indices name it.
// https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html
//
// Agreement: exact; floating point is filled so that every sum is exact in every order. A real zero
// may have either sign, since a matrix product may give either for a row that no index names. Only
// real numbers are scaled. Either the indices name each row a power of two times (all name
// different rows, or all the same row), or only one row of grad_output is not zero: then each
// element of the result is at most one quotient, to which only zeros are added. Indices are int32
// or int64 of any rank, never negative.
//
// A custom kernel need not refuse an index out of range, since the forward pass has done that, but
// it must not touch memory that is not its own.

#include <bit>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "ops/definition/operator.h"
#include "ops/families/moves.h"
#include "ops/fills/write_positions.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/numbers/cast.h"
#include "ops/numbers/sums.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settled_sums.h"

namespace indexfuzz {
namespace {

// Indices come first, since the fills treat operand 0 as self: grad_output is added to zeros, not
// to a self.
constexpr int kIndices = 0, kGrad = 1;
constexpr int kNumWeights = 0, kPaddingIdx = 1, kScaleGradByFreq = 2;

constexpr OperandSpec kOperands[] = {{"indices", Role::kIndex}, {"grad_output", Role::kValue}};
constexpr AttributeSpec kAttributes[] = {{"num_weights", AttributeType::kSize},
                                         {"padding_idx", AttributeType::kRow},
                                         {"scale_grad_by_freq", AttributeType::kBool}};
constexpr Parameter kParameters[] = {operand(kGrad), operand(kIndices), attribute(kNumWeights),
                                     attribute(kPaddingIdx), attribute(kScaleGradByFreq)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "embedding_dense_backward", "",
     "torch.ops.aten.embedding_dense_backward({grad_output}, {indices}, {num_weights}, "
     "{padding_idx}, {scale_grad_by_freq})",
     "at::embedding_dense_backward({grad_output}, {indices}, {num_weights}, {padding_idx}, "
     "{scale_grad_by_freq})"},
    {Variant::kOut, "embedding_dense_backward", "out",
     "torch.ops.aten.embedding_dense_backward.out({grad_output}, {indices}, {num_weights}, "
     "{padding_idx}, {scale_grad_by_freq}, out={out})",
     "at::embedding_dense_backward_out({out}, {grad_output}, {indices}, {num_weights}, "
     "{padding_idx}, {scale_grad_by_freq})"},
};
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

ResultSpec result(const Case& c) {
  const Operand& grad = c.operands[kGrad];
  return {{c.attributes[kNumWeights], grad.shape.back()}, grad.dtype};
}

/// Makes the indices name each row a power of two times, or never.
void name_rows_evenly(Operand& indices, std::int64_t rows) {
  if (is_distinct(indices, rows)) return;
  FillKind& kind = indices.fill.kind;
  if (kind != FillKind::kLast) kind = FillKind::kFirst;
  for (std::int64_t& size : indices.shape) {
    size = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(size)));
  }
}

/// Whether each element of the result is at most a single quotient, which may be rounded.
bool has_one_row(const Case& c) {
  return c.attributes[kScaleGradByFreq] != 0 && c.operands[kGrad].fill.kind == FillKind::kLone1;
}

/// Makes sums of quotients the same in every order.
void settle_quotients(Operand& indices, Operand& grad, std::int64_t rows) {
  FillKind& kind = grad.fill.kind;
  const bool may_round = kind == FillKind::kHash1 || kind == FillKind::kSpecial1 ||
                         kind == FillKind::kLone1 || kind == FillKind::kSums4;
  if (!may_round) return name_rows_evenly(indices, rows);
  kind = FillKind::kLone1;
  // A row that shares its values with others would not be the only one that is not zero.
  grad.fill.repeats = 0;
  for (DimLayout& dim : grad.layout.dims) dim.expanded = dim.slides = false;
}

void repair_embedding_dense_backward(Case& c, const Limits& limits) {
  Operand& indices = c.operands[kIndices];
  Operand& grad = c.operands[kGrad];
  clamp_dtype(grad.dtype, limits.dtypes);
  clamp_dtype(indices.dtype, limits.index_dtypes);
  Dims weight{c.attributes[kNumWeights], grad.shape.empty() ? 1 : grad.shape.back()};
  clamp_shape(weight, limits.max_rank, limits.max_elements);
  weight.resize(2, 1);
  const auto [rows, width] = std::pair(weight[0], weight[1]);
  c.attributes[kNumWeights] = rows;
  // A kernel may multiply by a matrix with one element for each pair of a row and an index.
  constexpr std::int64_t kMostPairs = 1 << 24;
  clamp_shape(indices.shape, std::min(limits.max_rank, kMaxDims - 1),
              std::min(limits.max_elements / std::max<std::int64_t>(width, 1),
                       kMostPairs / std::max<std::int64_t>(rows, 1)));
  if (rows == 0) clamp_to_nothing(indices.shape);
  std::int64_t& padding = c.attributes[kPaddingIdx];
  if (padding < kNoRow || padding >= rows) padding = rows == 0 ? kNoRow : std::abs(padding % rows);
  clamp_bool(c.attributes[kScaleGradByFreq]);
  clamp_fill(indices.fill, FillFamily::kIndex);
  if (info(grad.dtype).family != DtypeFamily::kFloating || !rounds_in_one_way(grad.dtype))
    c.attributes[kScaleGradByFreq] = 0;
  clamp_fill(grad.fill, FillFamily::kValue);
  if (c.attributes[kScaleGradByFreq] != 0) settle_quotients(indices, grad, rows);
  grad.shape = indices.shape;
  grad.shape.push_back(width);
  if (has_one_row(c)) return;
  if (c.attributes[kScaleGradByFreq] != 0)
    settle_terms_of_means(grad);
  else
    settle_terms(grad);
  // A product with 1 + 0i turns an infinity in one component into NaN in the other.
  if (is_complex(grad.dtype) && grad.fill.kind == FillKind::kSums3)
    grad.fill.kind = FillKind::kSums1;
}

/// Divides the rows by how often they are named.
void scale(const Case& c, const IndexReader& index, std::byte* destination) {
  const Dtype dtype = c.operands[kGrad].dtype;
  const auto [shape, unused] = result(c);
  static thread_local std::vector<std::int64_t> counts;
  static thread_local std::vector<double> row;
  counts.assign(static_cast<std::size_t>(shape[0]), 0);
  for (std::int64_t i = 0; i < index.count(); ++i) ++counts[static_cast<std::size_t>(index[i])];
  row.resize(static_cast<std::size_t>(shape[1]));
  auto* const numbers = reinterpret_cast<std::byte*>(row.data());
  for (const std::int64_t count : counts) {
    if (count > 1) {
      convert(dtype, destination, Dtype::kDouble, numbers, shape[1]);
      for (double& number : row) number /= static_cast<double>(count);
      convert(Dtype::kDouble, numbers, dtype, destination, shape[1]);
    }
    destination += static_cast<std::size_t>(shape[1]) * item_size(dtype);
  }
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  const Operand& grad = c.operands[kGrad];
  const ResultSpec spec = result(c);
  const std::int64_t width = spec.shape[1];
  std::memset(destination, 0, static_cast<std::size_t>(numel(spec.shape)) * item_size(spec.dtype));
  const IndexReader index(input, kIndices);
  as_addends(grad.dtype, destination, input.operands[kGrad].data, [&](auto* to, const auto* from) {
    for (std::int64_t i = 0; i < index.count(); ++i) {
      if (index[i] == c.attributes[kPaddingIdx]) continue;
      for (std::int64_t k = 0; k < width; ++k) to[index[i] * width + k].add(from[i * width + k]);
    }
  });
  if (c.attributes[kScaleGradByFreq] != 0) scale(c, index, destination);
}

bool adds_elements(const Case& c) {
  return numel(c.operands[kGrad].shape) > 0;
}

/// Makes an index name `row`, which is out of range. With scale_grad_by_freq ATen counts the
/// indices in a vector of its own and writes beyond its end: the index is then so far out that this
/// ends the process at once instead of damaging a later call.
bool poke_row(Case& c, std::int64_t row) {
  constexpr std::int64_t kFarOut = std::int64_t{1} << 45;
  const bool is_scaled = c.attributes[kScaleGradByFreq] != 0;
  Operand& indices = c.operands[kIndices];
  if (!adds_elements(c) || (is_scaled && indices.dtype != Dtype::kInt64)) return false;
  if (!poke_index(c, kIndices, row)) return false;
  if (is_scaled) indices.poke_value = row < 0 ? -kFarOut : kFarOut;
  return true;
}

constexpr std::uint8_t kIndexBelow = 1, kIndexAbove = 2;

/// Whether ATen itself writes beyond its vector of counts, as does a kernel that forwards such a
/// call to ATen.
bool ends_in_atens_counts(const Case& c) {
  return (c.breaks == kIndexBelow || c.breaks == kIndexAbove) &&
         c.attributes[kScaleGradByFreq] != 0;
}

constexpr IllegalRule kRules[] = {
    // ATen ignores such an index, and so may other implementations.
    {kIndexBelow, "index_below", [](Case& c) { return poke_row(c, -1); }, kMayReturnAnything},
    {kIndexAbove, "index_above", [](Case& c) { return poke_row(c, c.attributes[kNumWeights]); },
     kMayReturnAnything},
    {3, "index_dtype", [](Case& c) { return become_floating(c, kIndices); }},
    {4, "grad_rows",
     [](Case& c) {
       Operand& grad = c.operands[kGrad];
       if (!adds_elements(c)) return false;
       if (rank(grad.shape) < 2) return false;
       resize_dimension(grad, 0, grad.shape[0] + 1);
       return true;
     }},
    {5, "out_dtype", change_out_dtype},
    {6, "out_overlaps_itself", overlap_written},
    {7, "index_dtype_narrow", [](Case& c) { return become_narrow(c, kIndices); }, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 21,
    .name = "embedding_dense_backward",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_embedding_dense_backward,
    .result = result,
    .index_bound = [](const Case& c, int) { return c.attributes[kNumWeights]; },
    .oracle = oracle,
    .agreement =
        [](const Case& c) {
          if (has_one_row(c)) return Agreement::kQuotient;
          const bool is_real = info(c.operands[kGrad].dtype).family == DtypeFamily::kFloating;
          return is_real ? Agreement::kEitherZero : Agreement::kExact;
        },
    .aten_only = ends_in_atens_counts,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
