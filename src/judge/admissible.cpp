#include "judge/admissible.h"

#include <algorithm>
#include <cmath>

#include "case/number.h"

namespace indexfuzz {

namespace {

/// Whether each part is right or, where a part of the right one is no finite number, NaN.
bool is_spread_nan(Dtype complex, const std::byte* expected, const std::byte* actual) {
  const Dtype real = component(complex);
  const std::size_t size = item_size(real);
  bool finite = true, right = true;
  for (std::size_t at = 0; at < 2 * size; at += size) {
    finite &= std::isfinite(to_double(real, expected + at));
    right &=
        same_number(real, expected + at, actual + at) || std::isnan(to_double(real, actual + at));
  }
  return right && !finite;
}

}  // namespace

bool Admissible::holds(std::int64_t element, const std::byte* expected, const std::byte* actual) {
  const OperatorInfo& row = operator_of(input_.c);
  const Agreement agreement = row.agreement(input_.c);
  if (agreement == Agreement::kSum && is_custom_ && component(result_) != result_)
    return is_spread_nan(result_, expected, actual);
  if (agreement != Agreement::kAnyContributor) return false;
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
