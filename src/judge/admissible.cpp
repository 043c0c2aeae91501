#include "judge/admissible.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "case/number.h"
#include "ops/numbers/agreement.h"
#include "ops/numbers/mean.h"

namespace indexfuzz {

namespace {

/// Whether each part of a complex number is right by `is_same`, or is NaN beside an expected
/// infinity or NaN.
template <typename IsSame>
bool is_spread_nan(Dtype complex, const std::byte* expected, const std::byte* actual,
                   const IsSame& is_same) {
  const Dtype real = component(complex);
  const std::size_t size = item_size(real);
  const auto is_right = [&](std::size_t part, std::size_t other) {
    return is_same(real, expected + part, actual + part) ||
           (std::isnan(to_double(real, actual + part)) &&
            !std::isfinite(to_double(real, expected + other)));
  };
  return is_right(0, size) && is_right(size, 0);
}

bool is_same_or_zero(Dtype dtype, const std::byte* expected, const std::byte* actual) {
  return same_number(dtype, expected, actual) ||
         agrees_beside(Agreement::kEitherZero, dtype, expected, actual);
}

/// Whether a number is right as a gradient, see Admissible.
bool is_same_gradient(Dtype dtype, const std::byte* expected, const std::byte* actual) {
  return is_complex(dtype) ? is_spread_nan(dtype, expected, actual, is_same_or_zero)
                           : is_same_or_zero(dtype, expected, actual);
}

/// Whether each part of a complex number is that of one of the values.
bool is_mixed(Dtype complex, std::span<const Contribution> values, const std::byte* actual) {
  const Dtype real = component(complex);
  const std::size_t size = item_size(real);
  return std::ranges::all_of(std::array{std::size_t{0}, size}, [&](std::size_t part) {
    return std::ranges::any_of(values, [&](const Contribution& c) {
      return same_number(real, c.value + part, actual + part);
    });
  });
}

}  // namespace

std::span<const Contribution> Admissible::contributions_of(std::int64_t element) {
  if (!built_) {
    built_ = true;
    operator_of(input_.c).contributions(
        input_,
        [](void* context, Contribution contribution) {
          static_cast<std::vector<Contribution>*>(context)->push_back(contribution);
        },
        &contributions_);
    std::ranges::sort(contributions_, {}, &Contribution::element);
  }
  return std::ranges::equal_range(contributions_, element, {}, &Contribution::element);
}

bool Admissible::holds(std::int64_t element, const std::byte* expected, const std::byte* actual) {
  if (standing_.is_meta) return true;
  if (standing_.is_custom && standing_.is_gradient && is_same_gradient(result_, expected, actual))
    return true;
  const Agreement agreement = operator_of(input_.c).agreement(input_.c);
  switch (agreement) {
    case Agreement::kExact: return false;
    case Agreement::kSum:
      return standing_.is_custom && is_complex(result_) &&
             is_spread_nan(result_, expected, actual, same_number);
    case Agreement::kEitherZero:
    case Agreement::kQuotient: return agrees_beside(agreement, result_, expected, actual);
    case Agreement::kMean: {
      if (info(result_).family != DtypeFamily::kFloating) return false;
      const double tolerance = mean_tolerance(result_, contributions_of(element));
      const double off = std::abs(to_double(result_, actual) - to_double(result_, expected));
      return tolerance > 0 && (off <= tolerance || are_neighbours(result_, expected, actual));
    }
    case Agreement::kAnyContributor: {
      const auto values = contributions_of(element);
      const bool is_whole = std::ranges::any_of(
          values, [&](const Contribution& c) { return same_number(result_, c.value, actual); });
      return is_whole ||
             (standing_.is_custom && is_complex(result_) && is_mixed(result_, values, actual));
    }
  }
  return false;
}

}  // namespace indexfuzz
