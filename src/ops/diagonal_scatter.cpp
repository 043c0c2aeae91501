// diagonal_scatter(self, src, offset, dim1, dim2): a copy of self in which a diagonal of each
// matrix, whose rows and columns are dim1 and dim2, is src. Its elements lie along src's last
// dimension. https://pytorch.org/docs/stable/generated/torch.diagonal_scatter.html
//
// Agreement: exact for every dtype, since elements are only moved. Any offset is one of a diagonal,
// which has no elements if it lies outside the matrix. src has the diagonal's shape; one of another
// dtype, of which nothing is documented, is not drawn.
//
// There is no rule against an out that is an input: the out= form computes the whole result before
// it writes it.

#include <algorithm>

#include "ops/definition/operator.h"
#include "ops/families/embedded_view.h"
#include "ops/illegal/chance.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0;
constexpr int kOffset = 0, kDim1 = 1, kDim2 = 2;

constexpr AttributeSpec kAttributes[] = {{"offset", AttributeType::kAnyInt},
                                         {"dim1", AttributeType::kDim},
                                         {"dim2", AttributeType::kDim}};
constexpr Parameter kParameters[] = {operand(kSelf), operand(embedded_view::kSrc),
                                     attribute(kOffset), attribute(kDim1), attribute(kDim2)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "diagonal_scatter", "",
     "torch.diagonal_scatter({self}, {src}, {offset}, {dim1}, {dim2})",
     "at::diagonal_scatter({self}, {src}, {offset}, {dim1}, {dim2})"},
    {Variant::kOut, "diagonal_scatter", "out",
     "torch.ops.aten.diagonal_scatter.out({self}, {src}, {offset}, {dim1}, {dim2}, out={out})",
     "at::diagonal_scatter_out({out}, {self}, {src}, {offset}, {dim1}, {dim2})"},
};
constexpr Overload kOverloads[] = {{"", kEmbeddedViewOperands, kAttributes, kParameters, kForms}};

/// The diagonals that are replaced.
DenseView diagonal_of(const Case& c) {
  const Dims& self = c.operands[kSelf].shape;
  const std::int64_t offset = c.attributes[kOffset];
  const int rows = wrapped_dim(c.attributes[kDim1], rank(self)),
            columns = wrapped_dim(c.attributes[kDim2], rank(self));
  // The least number cannot be negated; as many rows as the largest number nothing has, either.
  const std::int64_t below = -std::clamp<std::int64_t>(offset, -INT64_MAX, 0),
                     right = std::max<std::int64_t>(offset, 0);
  const std::int64_t length = std::max<std::int64_t>(
      std::min(size_at(self, rows) - below, size_at(self, columns) - right), 0);
  const Dims strides = row_major_strides(self);
  DenseView view;
  for (int d = 0; d < rank(self); ++d) {
    if (d == rows || d == columns) continue;
    view.shape.push_back(self[d]);
    view.strides.push_back(strides[d]);
  }
  view.shape.push_back(length);
  view.strides.push_back(strides[rows] + strides[columns]);
  if (length > 0) view.first = below * strides[rows] + right * strides[columns];
  return view;
}

void repair_diagonal_scatter(Case& c, const Limits& limits) {
  repair_embedded(c, limits, 2);
  const int dims = rank(c.operands[kSelf].shape);
  std::int64_t& dim1 = c.attributes[kDim1];
  std::int64_t& dim2 = c.attributes[kDim2];
  clamp_dim(dim1, dims);
  clamp_dim(dim2, dims);
  if (wrapped_dim(dim1, dims) == wrapped_dim(dim2, dims)) {
    // The next dimension, counted from the same end.
    const std::int64_t first = dim2 < 0 ? -dims : 0;
    dim2 = dim2 + 1 == first + dims ? first : dim2 + 1;
  }
  c.operands[embedded_view::kSrc].shape = diagonal_of(c).shape;
}

void oracle(const OracleInput& input, std::byte* destination) {
  write_embedded(input, diagonal_of(input.c), destination);
}

/// Names a dimension that self does not have, as dim1 or dim2.
bool set_dim(Case& c, std::int64_t dim) {
  c.attributes[chance_of(c) % 2 == 0 ? kDim1 : kDim2] = dim;
  return true;
}

constexpr auto kRules = with_common_rules({
    {1, "dim_above", [](Case& c) { return set_dim(c, rank(c.operands[kSelf].shape)); }},
    {2, "dim_below", [](Case& c) { return set_dim(c, -rank(c.operands[kSelf].shape) - 1); }},
    {3, "dims_identical",
     [](Case& c) {
       c.attributes[kDim2] = c.attributes[kDim1];
       return true;
     }},
});

const OperatorInfo kInfo{
    .number = 39,
    .name = "diagonal_scatter",
    .overloads = kOverloads,
    .rules = kRules,
    .least_rank = 2,
    .repair = repair_diagonal_scatter,
    .result = result_like_self,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
