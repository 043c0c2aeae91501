// nonzero(self): the positions of the elements that are not zero, in row-major order, as one row of
// coordinates each. https://pytorch.org/docs/stable/generated/torch.nonzero.html
//
// Agreement: exact. -0.0 is zero, NaN and subnormal numbers are not; a complex number is zero if
// both of its components are. Self is filled like a mask, whatever its dtype, so that the number of
// rows is known before the call.

#include <algorithm>

#include "ops/definition/operator.h"
#include "ops/families/coordinates.h"
#include "ops/families/mask.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0;

constexpr OperandSpec kOperands[] = {{"self", Role::kZeroOrNot}};
constexpr Parameter kParameters[] = {operand(kSelf)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "nonzero", "", "torch.nonzero({self})", "at::nonzero({self})"},
    {Variant::kOut, "nonzero", "out", "torch.nonzero({self}, out={out})",
     "at::nonzero_out({out}, {self})"},
};
// Left out: nonzero_numpy and argwhere, which only rearrange what nonzero returns.
constexpr Overload kOverloads[] = {{"", kOperands, {}, kParameters, kForms}};

ResultSpec result(const Case& c) {
  const Operand& self = c.operands[kSelf];
  return {{set_elements(self), rank(self.shape)}, Dtype::kInt64};
}

/// Sets no more elements than a result within the limits has rows for.
void clamp_rows(Operand& self, const Limits& limits) {
  const std::int64_t most = limits.max_elements / std::max(rank(self.shape), 1);
  const std::int64_t set = set_elements(self);
  if (set <= most) return;
  const std::int64_t copies = set / self.fill.popcount;
  self.fill.popcount = static_cast<std::uint32_t>(most / copies);
}

void repair_nonzero(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  clamp_dtype(self.dtype, limits.dtypes);
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  settle_mask(self, limits);
  clamp_rows(self, limits);
}

void oracle(const OracleInput& input, std::byte* destination) {
  write_coordinates(input, result(input.c).shape[0], destination);
}

constexpr IllegalRule kRules[] = {
    {1, "out_dtype", change_out_dtype},
    {2, "out_overlaps_itself", overlap_written},
    {3, "out_is_self", [](Case& c) { return share_memory(c, kSelf); }},
};

const OperatorInfo kInfo{
    .number = 9,
    .name = "nonzero",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_nonzero,
    .result = result,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
    .derivatives = Derivatives::kNone,
    .can_be_batched = false,
    .shape_by_values = true,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
