// index_add(self, dim, index, source, alpha): slice index[i] of self += alpha * source's slice i.
// https://pytorch.org/docs/stable/generated/torch.Tensor.index_add_.html
//
// Agreement: exact. Integers wrap; bool is the or of self and, if alpha is true, source. Floating
// point is filled so that every sum is exact in every order (fills sums1 to sums3 and sums6) or, if
// no index occurs twice, is rounded once (sums4). Alpha is then 1, 0, -1, a factor of so few bits
// that products are exact, complex -1+1i, or what its dtype has instead of these. Indices are int32
// or int64, at most one-dimensional and never negative. Source has self's dtype and one slice per
// index; a self of rank 0 takes one index and a source of rank 0.
//
// Alpha is any number that converts to self's dtype, in which an integer self multiplies: a
// fraction is dropped first, and a negative number wraps in uint8. Unlike add, ATen refuses neither
// a bool nor a fraction.

#include <algorithm>
#include <array>

#include "ops/definition/operator.h"
#include "ops/families/moves.h"
#include "ops/families/self_dim.h"
#include "ops/families/slice_rules.h"
#include "ops/families/slices.h"
#include "ops/fills/write_positions.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/numbers/cast.h"
#include "ops/numbers/sums.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settled_sums.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndexOperand = 1, kSource = 2, kAlpha = 3;
constexpr int kDim = 0;

constexpr OperandSpec kOperands[] = {{"self", Role::kValue},
                                     {"index", Role::kIndex},
                                     {"source", Role::kValue},
                                     {.name = "alpha", .role = Role::kScalar, .is_factor = true}};
constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kDim}};
constexpr Parameter kParameters[] = {operand(kSelf), attribute(kDim), operand(kIndexOperand),
                                     operand(kSource), operand(kAlpha)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "index_add", "",
     "torch.index_add({self}, {dim}, {index}, {source}, alpha={alpha})",
     "at::index_add({self}, {dim}, {index}, {source}, {alpha})"},
    {Variant::kInPlace, "index_add_", "",
     "{self}.index_add_({dim}, {index}, {source}, alpha={alpha})",
     "{self}.index_add_({dim}, {index}, {source}, {alpha})"},
    {Variant::kOut, "index_add", "out",
     "torch.index_add({self}, {dim}, {index}, {source}, alpha={alpha}, out={out})",
     "at::index_add_out({out}, {self}, {dim}, {index}, {source}, {alpha})"},
};
// Left out: index_add.dimname, which only looks up a dimension's name.
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

/// Settles the fills so that products are exact and zeros have the same sign in every order.
void settle_alpha(Operand& self, Operand& source, Operand& alpha) {
  FillKind& kind = alpha.fill.kind;
  // A product with 1 + 0i turns an infinity in one component into NaN in the other.
  if (is_complex(self.dtype) && source.fill.kind == FillKind::kSums3)
    source.fill.kind = FillKind::kSums1;
  if (kind == FillKind::kOnes) return;
  if (!is_floating_or_complex(self.dtype)) {
    if (is_for_sums(kind)) kind = FillKind::kIndex;
    return;
  }
  // -0.0 plus a sum of products may be either zero.
  if (self.fill.kind == FillKind::kSums3) self.fill.kind = FillKind::kSums1;
  const bool has_room = has_room_for_fractions(self.dtype);
  // Zero times an infinity is NaN in every order, but the oracle multiplies narrow floats as
  // integers.
  if (source.fill.kind == FillKind::kSums3 && !(kind == FillKind::kZeros && has_room))
    source.fill.kind = FillKind::kSums1;
  if (kind == FillKind::kZeros) return;
  const bool is_long =
      info(component(self.dtype)).exact_bits == 53 && alpha.dtype == Dtype::kDouble;
  // A narrow format has room for products of integers, which `uses` counts, but not for fractions.
  const bool takes_factor = has_room || alpha.dtype == Dtype::kInt64;
  if (!takes_factor ||
      (kind != FillKind::kHash1 && kind != FillKind::kFactor1 && kind != FillKind::kFactor2))
    kind = FillKind::kIndex;
  else
    kind = is_long && kind != FillKind::kFactor1 ? FillKind::kFactor2 : FillKind::kFactor1;
  if (kind == FillKind::kIndex) return;
  for (Operand* operand : {&self, &source}) {
    FillKind& terms = operand->fill.kind;
    if (has_unit(terms)) terms = FillKind::kSums1;
  }
}

void repair_index_add(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& index = c.operands[kIndexOperand];
  Operand& source = c.operands[kSource];
  Operand& alpha = c.operands[kAlpha];
  clamp_dtype(self.dtype, limits.dtypes);
  clamp_dtype(index.dtype, limits.index_dtypes);
  source.dtype = self.dtype;
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  clamp_dim(c.attributes[kDim], rank(self.shape));
  fit_slice_source(c, kIndexOperand, kSource, limits);
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(index.fill, FillFamily::kIndex);
  clamp_fill(source.fill, FillFamily::kValue);
  settle_sums(self, source, is_distinct(index, bound_along_dim(c, kIndexOperand)));
  clamp_scalar(alpha, self.dtype);
  settle_alpha(self, source, alpha);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Operand& self = input.c.operands[kSelf];
  copy_operand(input, kSelf, destination);
  std::byte alpha[16];
  convert(input.c.operands[kAlpha].dtype, input.operands[kAlpha].data, self.dtype, alpha, 1);
  const bool is_one = input.c.operands[kAlpha].fill.kind == FillKind::kOnes;
  as_addends(self.dtype, destination, input.operands[kSource].data,
             [&]<typename Element>(Element* to, const Element* from) {
               const Element factor = load<Element>(alpha);
               const auto add = [&](Element& sum, const Element& term) {
                 is_one ? sum.add(term) : sum.add_product(term, factor);
               };
               for_each_slice_run(self.shape, dim_of(input.c), IndexReader(input, kIndexOperand),
                                  [&](std::int64_t i, std::int64_t element, std::int64_t length) {
                                    for (std::int64_t k = 0; k < length; ++k)
                                      add(to[element + k], from[i + k]);
                                  });
             });
}

constexpr auto kRules =
    with_rules(kSliceRules, {{10, "alpha_complex", [](Case& c) {
                                return writes_slices(c, kIndexOperand) &&
                                       make_complex(c, kAlpha, c.operands[kSelf].dtype);
                              }}});

const OperatorInfo kInfo{
    .number = 12,
    .name = "index_add",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_index_add,
    .result = result_like_self,
    .index_bound = bound_along_dim,
    .table = written_self_along_first_dim,
    .cast_to = [](const Case& c, int) { return c.operands[kSelf].dtype; },
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
    .uses = [](const Case& c, int operand) -> std::int64_t {
      if (operand != kSource) return 1;
      const Operand& alpha = c.operands[kAlpha];
      // Each part of a product with -1+1i is the sum of two parts of source.
      if (alpha.dtype == Dtype::kComplexDouble) return 2;
      // Wider formats have room for a factor of 3.
      const bool is_narrow = !has_room_for_fractions(c.operands[kSelf].dtype);
      return is_narrow && alpha.fill.kind == FillKind::kFactor1 ? 3 : 1;
    },
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
