#include "judge/admissible.h"

#include <algorithm>

#include "case/number.h"
#include "ops/operator.h"

namespace indexfuzz {

bool Admissible::holds(std::int64_t element, const std::byte* actual) {
  const OperatorInfo& row = operator_of(arena_.current());
  if (row.agreement(arena_.current()) != Agreement::kAnyContributor) return false;
  if (!built_) {
    built_ = true;
    row.contributions(
        arena_.oracle_input(),
        [](void* context, Contribution contribution) {
          static_cast<std::multimap<std::int64_t, const std::byte*>*>(context)->emplace(
              contribution.element, contribution.value);
        },
        &values_);
  }
  const auto [first, last] = values_.equal_range(element);
  return std::any_of(first, last, [&](const auto& entry) {
    return same_number(arena_.result().dtype, entry.second, actual);
  });
}

}  // namespace indexfuzz
