#include "ops/families/running.h"

#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr DtypeSet kCompared = set_of(Dtype::kBool) | kIntegralDtypes | kFloats;

}  // namespace

const IllegalRule running_rules[kRunningRules] = {
    {1, "dim_above", dim_above},
    {2, "dim_below", dim_below},
    {3, "out_dtype", change_out_dtype},
    {4, "out_overlaps_itself", overlap_written},
};

void repair_running(Case& c, const Limits& limits) {
  repair_ordered(c, limits, kCompared);
  clamp_dim(c.attributes[ordered::kDim], rank(c.operands[ordered::kSelf].shape));
  limit_equals(c, limits);
}

}  // namespace indexfuzz
