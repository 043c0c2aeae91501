#include "ops/numbers/agreement.h"

#include "case/number.h"

namespace indexfuzz {

bool agrees_beside(Agreement agreement, Dtype dtype, const std::byte* expected,
                   const std::byte* actual) {
  const bool is_quotient = agreement == Agreement::kQuotient;
  if (!is_quotient && agreement != Agreement::kEitherZero) return false;
  const bool are_zeros = to_double(dtype, expected) == 0 && to_double(dtype, actual) == 0;
  return are_zeros || (is_quotient && are_neighbours(dtype, expected, actual));
}

}  // namespace indexfuzz
