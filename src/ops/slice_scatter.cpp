// slice_scatter(self, src, dim, start, end, step): a copy of self in which the slices start,
// start + step, … before end along dim are src's.
// https://pytorch.org/docs/stable/generated/torch.slice_scatter.html
//
// Agreement: exact for every dtype, since elements are only moved. start and end are read as Python
// reads those of a slice: a negative one counts from the end, one outside self stands for the
// nearest place inside, None for all that there is; an end at or before start names no slices.
// src has the slices' shape; one of another dtype, of which nothing is documented, is not drawn. A
// self of rank 0 has no slices.
//
// There is no rule against an out that is an input: the out= form computes the whole result before
// it writes it.

#include <algorithm>

#include "ops/definition/operator.h"
#include "ops/families/embedded_view.h"
#include "ops/families/self_dim.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0;
constexpr int kDim = 0, kStart = 1, kEnd = 2, kStep = 3;

constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kDim},
                                         {"start", AttributeType::kOptionalPlace},
                                         {"end", AttributeType::kOptionalPlace},
                                         {"step", AttributeType::kStep}};
constexpr Parameter kParameters[] = {operand(kSelf),  operand(embedded_view::kSrc),
                                     attribute(kDim), attribute(kStart),
                                     attribute(kEnd), attribute(kStep)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "slice_scatter", "",
     "torch.slice_scatter({self}, {src}, {dim}, {start}, {end}, {step})",
     "at::slice_scatter({self}, {src}, {dim}, {start}, {end}, {step})"},
    {Variant::kOut, "slice_scatter", "out",
     "torch.ops.aten.slice_scatter.out({self}, {src}, {dim}, {start}, {end}, {step}, out={out})",
     "at::slice_scatter_out({out}, {self}, {src}, {dim}, {start}, {end}, {step})"},
};
constexpr Overload kOverloads[] = {{"", kEmbeddedViewOperands, kAttributes, kParameters, kForms}};

/// The place inside [0, size] that a start or an end names.
std::int64_t place(std::int64_t named, std::int64_t size, std::int64_t if_none) {
  if (named == kNoInt) return if_none;
  return std::clamp<std::int64_t>(named < 0 ? named + size : named, 0, size);
}

/// The slices that are replaced.
DenseView slices_of(const Case& c) {
  const auto dim = static_cast<std::size_t>(dim_of(c));
  DenseView view{c.operands[kSelf].shape, row_major_strides(c.operands[kSelf].shape)};
  const std::int64_t size = view.shape[dim], start = place(c.attributes[kStart], size, 0),
                     end = place(c.attributes[kEnd], size, size), step = c.attributes[kStep];
  view.shape[dim] = end > start ? (end - start - 1) / step + 1 : 0;
  view.first = start * view.strides[dim];
  // Beyond any tensor's size only the first slice is left, and the product could overflow.
  view.strides[dim] *= std::min(step, std::max<std::int64_t>(size, 1));
  return view;
}

void repair_slice_scatter(Case& c, const Limits& limits) {
  repair_embedded(c, limits, 1);
  clamp_dim(c.attributes[kDim], rank(c.operands[kSelf].shape));
  std::int64_t& step = c.attributes[kStep];
  clamp_any_int(step);
  step = std::max<std::int64_t>(std::abs(step), 1);
  c.operands[embedded_view::kSrc].shape = slices_of(c).shape;
}

void oracle(const OracleInput& input, std::byte* destination) {
  write_embedded(input, slices_of(input.c), destination);
}

constexpr auto kRules = rules_of_slices({1, "step_zero",
                                         [](Case& c) {
                                           c.attributes[kStep] = 0;
                                           return true;
                                         }},
                                        {2, "step_below", [](Case& c) {
                                           c.attributes[kStep] = -c.attributes[kStep];
                                           return true;
                                         }});

const OperatorInfo kInfo{
    .number = 40,
    .name = "slice_scatter",
    .overloads = kOverloads,
    .rules = kRules,
    .least_rank = 1,
    .repair = repair_slice_scatter,
    .result = result_like_self,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
