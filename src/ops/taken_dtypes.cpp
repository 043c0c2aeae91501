#include "ops/taken_dtypes.h"

#include "ops/other_calls.h"

namespace indexfuzz {

bool takes_any(const OperatorInfo& op, DtypeSet dtypes) {
  Limits limits;
  limits.dtypes = dtypes;
  for (std::size_t overload = 0; overload < op.overloads.size(); ++overload) {
    Case c = plainest_case(op.number, static_cast<std::uint8_t>(overload),
                           op.overloads[overload].forms.front().variant);
    repair(c, limits);
    for (int k = 0; k < input_count(c); ++k) {
      const Operand& operand = c.operands[static_cast<std::size_t>(k)];
      if (spec_of(c, k).role == Role::kValue && contains(dtypes, operand.dtype)) return true;
    }
  }
  return false;
}

}  // namespace indexfuzz
