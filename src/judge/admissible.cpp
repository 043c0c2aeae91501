#include "judge/admissible.h"

#include <algorithm>
#include <cmath>

#include "case/number.h"

namespace indexfuzz {

namespace {

/// Whether each part is right or, where the right other part is no finite number, NaN.
bool is_spread_nan(Dtype complex, const std::byte* expected, const std::byte* actual) {
  const Dtype real = component(complex);
  const std::size_t size = item_size(real);
  const auto is_right = [&](std::size_t part, std::size_t other) {
    return same_number(real, expected + part, actual + part) ||
           (std::isnan(to_double(real, actual + part)) &&
            !std::isfinite(to_double(real, expected + other)));
  };
  return is_right(0, size) && is_right(size, 0);
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
