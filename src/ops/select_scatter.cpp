// select_scatter(self, src, dim, index): a copy of self in which slice `index` along dim is src.
// https://pytorch.org/docs/stable/generated/torch.select_scatter.html
//
// Agreement: exact for every dtype, since elements are only moved. An index below 0 counts from the
// end. src has the slice's shape; one of another dtype, of which nothing is documented, is not
// drawn. A self of rank 0 has no slices.
//
// There is no rule against an out that is an input: the out= form computes the whole result before
// it writes it.

#include "ops/definition/operator.h"
#include "ops/families/embedded_view.h"
#include "ops/families/self_dim.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0;
constexpr int kDim = 0, kIndex = 1;

constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kDim},
                                         {"index", AttributeType::kAnyInt}};
constexpr Parameter kParameters[] = {operand(kSelf), operand(embedded_view::kSrc), attribute(kDim),
                                     attribute(kIndex)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "select_scatter", "",
     "torch.select_scatter({self}, {src}, {dim}, {index})",
     "at::select_scatter({self}, {src}, {dim}, {index})"},
    {Variant::kOut, "select_scatter", "out",
     "torch.ops.aten.select_scatter.out({self}, {src}, {dim}, {index}, out={out})",
     "at::select_scatter_out({out}, {self}, {src}, {dim}, {index})"},
};
constexpr Overload kOverloads[] = {{"", kEmbeddedViewOperands, kAttributes, kParameters, kForms}};

/// The slice that is replaced.
DenseView slice_of(const Case& c) {
  const std::int64_t index = c.attributes[kIndex];
  const int dim = dim_of(c);
  DenseView view{c.operands[kSelf].shape, row_major_strides(c.operands[kSelf].shape)};
  view.first = (index < 0 ? index + bound_along_dim(c, kSelf) : index) * view.strides[dim];
  view.shape.erase(view.shape.begin() + dim);
  view.strides.erase(view.strides.begin() + dim);
  return view;
}

void repair_select_scatter(Case& c, const Limits& limits) {
  repair_embedded(c, limits, 1);
  Dims& shape = c.operands[kSelf].shape;
  clamp_dim(c.attributes[kDim], rank(shape));
  std::int64_t& slices = shape[static_cast<std::size_t>(dim_of(c))];
  slices = std::max<std::int64_t>(slices, 1);
  std::int64_t& index = c.attributes[kIndex];
  if (index < -slices || index >= slices) index %= slices;
  c.operands[embedded_view::kSrc].shape = slice_of(c).shape;
}

void oracle(const OracleInput& input, std::byte* destination) {
  write_embedded(input, slice_of(input.c), destination);
}

constexpr auto kRules = rules_of_slices({1, "index_below",
                                         [](Case& c) {
                                           c.attributes[kIndex] = -bound_along_dim(c, kSelf) - 1;
                                           return true;
                                         }},
                                        {2, "index_above", [](Case& c) {
                                           c.attributes[kIndex] = bound_along_dim(c, kSelf);
                                           return true;
                                         }});

const OperatorInfo kInfo{
    .number = 38,
    .name = "select_scatter",
    .overloads = kOverloads,
    .rules = kRules,
    .least_rank = 1,
    .repair = repair_select_scatter,
    .result = result_like_self,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
