#include "ops/numbers/mean.h"

#include <algorithm>
#include <cmath>

#include "case/number.h"

namespace indexfuzz {

double mean_tolerance(Dtype dtype, std::span<const Contribution> terms) {
  if (terms.size() < 2 || info(dtype).family != DtypeFamily::kFloating) return 0;
  const auto count = static_cast<double>(terms.size());
  double magnitudes = 0;
  for (const Contribution& term : terms) magnitudes += std::abs(to_double(dtype, term.value));
  // An infinity or NaN among the terms determines the mean.
  if (!std::isfinite(magnitudes)) return 0;
  constexpr double kMostErrors = 1.0 / 4;
  const auto errors_in = [&](Dtype computed) {
    return (count + 5 + 2 * std::log(count)) * std::ldexp(1.0, -info(computed).exact_bits);
  };
  const double own = errors_in(dtype);
  const double errors = own <= kMostErrors ? own : std::min(own, errors_in(Dtype::kFloat));
  return errors / (1 - errors) * magnitudes / count;
}

}  // namespace indexfuzz
