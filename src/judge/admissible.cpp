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
          static_cast<std::vector<Contribution>*>(context)->push_back(contribution);
        },
        &contributions_);
    std::ranges::sort(contributions_, {}, &Contribution::element);
  }
  return std::ranges::any_of(
      std::ranges::equal_range(contributions_, element, {}, &Contribution::element),
      [&](const Contribution& c) { return same_number(result_, c.value, actual); });
}

}  // namespace indexfuzz
