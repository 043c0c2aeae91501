#include "judge/admissible.h"

#include <algorithm>

#include "case/number.h"

namespace indexfuzz {

bool Admissible::holds(std::int64_t element, const std::byte* actual) {
  const OperatorInfo& row = operator_of(input_.c);
  if (row.agreement(input_.c) != Agreement::kAnyContributor) return false;
  if (!built_) {
    built_ = true;
    row.contributions(
        input_,
        [](void* context, Contribution contribution) {
          static_cast<std::multimap<std::int64_t, const std::byte*>*>(context)->emplace(
              contribution.element, contribution.value);
        },
        &values_);
  }
  const auto [first, last] = values_.equal_range(element);
  return std::any_of(first, last,
                     [&](const auto& entry) { return same_number(result_, entry.second, actual); });
}

}  // namespace indexfuzz
