// scatter_add(self, dim, index, src): self[index[i][j]][j] += src[i][j] for dim = 0, and so on.
// https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_add_.html
//
// Agreement: integers wrap, bool is or, and floating point is filled so that every sum is exact in
// every order (fills sums1 to sums3 and sums6): a lost or doubled update cannot hide in rounding.
// If no element is added to twice, sums may be rounded, once (sums4). What Agreement::kSum admits
// besides is right, too. Indices are int32 or int64, never negative; src has self's dtype and may
// be larger than index.

#include "ops/definition/operator.h"
#include "ops/families/along_dim.h"
#include "ops/families/moves.h"
#include "ops/families/scatter_rules.h"
#include "ops/families/self_dim.h"
#include "ops/fills/write_positions.h"
#include "ops/numbers/sums.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settled_sums.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndexOperand = 1, kSrc = 2;
constexpr int kDim = 0;

constexpr OperandSpec kOperands[] = {
    {"self", Role::kValue}, {"index", Role::kIndex}, {"src", Role::kValue}};
constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kDim}};
constexpr Parameter kParameters[] = {operand(kSelf), attribute(kDim), operand(kIndexOperand),
                                     operand(kSrc)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "scatter_add", "", "torch.scatter_add({self}, {dim}, {index}, {src})",
     "at::scatter_add({self}, {dim}, {index}, {src})"},
    {Variant::kInPlace, "scatter_add_", "", "{self}.scatter_add_({dim}, {index}, {src})",
     "{self}.scatter_add_({dim}, {index}, {src})"},
    {Variant::kOut, "scatter_add", "out",
     "torch.scatter_add({self}, {dim}, {index}, {src}, out={out})",
     "at::scatter_add_out({out}, {self}, {dim}, {index}, {src})"},
};
// Left out: scatter_add.dimname, which only looks up a dimension's name.
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

void repair_scatter_add(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& index = c.operands[kIndexOperand];
  Operand& src = c.operands[kSrc];
  clamp_dtype(self.dtype, limits.dtypes);
  clamp_dtype(index.dtype, limits.index_dtypes);
  src.dtype = self.dtype;
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  clamp_dim(c.attributes[kDim], rank(self.shape));
  fit_scattered(c, kIndexOperand, kSrc, limits);
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(index.fill, FillFamily::kIndex);
  clamp_fill(src.fill, FillFamily::kValue);
  settle_sums(self, src, is_distinct_along(index, dim_of(c), bound_along_dim(c, kIndexOperand)));
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  const Operand& self = c.operands[kSelf];
  copy_operand(input, kSelf, destination);
  as_addends(self.dtype, destination, input.operands[kSrc].data, [&](auto* to, const auto* from) {
    for_each_scattered(input, dim_of(c),
                       [&](std::int64_t element, std::int64_t i) { to[element].add(from[i]); });
  });
}

const OperatorInfo kInfo{
    .number = 3,
    .name = "scatter_add",
    .overloads = kOverloads,
    .rules = kScatterRules,
    .repair = repair_scatter_add,
    .result = result_like_self,
    .index_bound = bound_along_dim,
    .table = written_self_along_first_dim,
    .oracle = oracle,
    .agreement = always<Agreement::kSum>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
