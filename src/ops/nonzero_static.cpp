// nonzero_static(self, size, fill_value): the first `size` rows of nonzero(self); where there are
// fewer, rows of fill_value follow.
// https://docs.pytorch.org/docs/stable/generated/torch.nonzero_static.html
//
// Agreement: exact. What counts as zero is said in nonzero.cpp. Size is any number from 0 on, and
// fill_value any int64.

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
constexpr int kSize = 0, kFillValue = 1;

constexpr OperandSpec kOperands[] = {{"self", Role::kZeroOrNot}};
constexpr AttributeSpec kAttributes[] = {{"size", AttributeType::kSize},
                                         {"fill_value", AttributeType::kAnyInt}};
constexpr Parameter kParameters[] = {operand(kSelf), attribute(kSize), attribute(kFillValue)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "nonzero_static", "",
     "torch.nonzero_static({self}, size={size}, fill_value={fill_value})",
     "at::nonzero_static({self}, {size}, {fill_value})"},
    {Variant::kOut, "nonzero_static", "out",
     "torch.nonzero_static({self}, size={size}, fill_value={fill_value}, out={out})",
     "at::nonzero_static_out({out}, {self}, {size}, {fill_value})"},
};
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

ResultSpec result(const Case& c) {
  return {{std::max<std::int64_t>(c.attributes[kSize], 0), rank(c.operands[kSelf].shape)},
          Dtype::kInt64};
}

void repair_nonzero_static(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  clamp_dtype(self.dtype, limits.dtypes);
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  settle_mask(self, limits);
  const std::int64_t most = limits.max_elements / std::max(rank(self.shape), 1);
  c.attributes[kSize] = std::clamp<std::int64_t>(c.attributes[kSize], 0, most);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  const Dims shape = result(c).shape;
  auto* const to = reinterpret_cast<std::int64_t*>(destination);
  const std::int64_t rows = write_coordinates(input, shape[0], destination);
  std::fill(to + rows * shape[1], to + shape[0] * shape[1], c.attributes[kFillValue]);
}

constexpr IllegalRule kRules[] = {
    {1, "size_below",
     [](Case& c) {
       // An `out` could not have fewer than no rows.
       c.attributes[kSize] = -1;
       return c.variant == Variant::kFunctional;
     }},
    {2, "out_dtype", change_out_dtype},
    {3, "out_overlaps_itself", overlap_written},
    {4, "out_is_self", [](Case& c) { return share_memory(c, kSelf); }},
};

const OperatorInfo kInfo{
    .number = 27,
    .name = "nonzero_static",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_nonzero_static,
    .result = result,
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
    .derivatives = Derivatives::kNone,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
