#include "ops/repair/taken_dtypes.h"

#include "ops/repair/other_calls.h"
#include "ops/repair/repair.h"

namespace indexfuzz {

bool takes_any(const OperatorInfo& op, DtypeSet dtypes) {
  Limits limits;
  limits.dtypes = dtypes;
  for (std::size_t overload = 0; overload < op.overloads.size(); ++overload) {
    Case c = plainest_case(op.number, static_cast<std::uint8_t>(overload),
                           op.overloads[overload].forms.front().variant);
    repair(c, limits);
    bool has_values = false;
    for (int k = 0; k < input_count(c); ++k) {
      if (spec_of(c, k).role != Role::kValue) continue;
      has_values = true;
      if (contains(dtypes, operand_at(c, k).dtype)) return true;
    }
    if (!has_values) return true;
  }
  return false;
}

}  // namespace indexfuzz
