#include "ops/fills/fill_plan.h"

#include <algorithm>

#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

/// The least and the most bits of each factor of an exact product.
constexpr std::int64_t kFewBits = 2, kManyBits = 10;
/// The largest magnitude of a sum's terms, unless they are SumTerms::is_wide.
constexpr std::int64_t kLargestTerm = 1000;

/// The most that self, and the sum of the others, may each reach: half of the exact range, so that
/// both together fit.
std::int64_t sum_budget(Dtype real, bool all_bits) {
  return std::int64_t{1} << std::clamp(info(real).exact_bits - 1, 0, all_bits ? 61 : 20);
}

/// How often each element of operand k takes part at most.
std::int64_t uses_of_each(const Case& c, int k) {
  const auto uses = operator_of(c).uses;
  return uses != nullptr ? uses(c, k) : 1;
}

/// How many elements of operand k meet in one sum at most, at least 1.
std::int64_t terms_in_one_sum(const Case& c, int k) {
  const auto terms = operator_of(c).terms;
  const std::int64_t all =
      terms != nullptr ? terms(c, k) : numel(operand_at(c, k).shape) * uses_of_each(c, k);
  return std::max<std::int64_t>(all, 1);
}

/// The number of elements whose value number is a multiple of `one_in`.
std::int64_t count_multiples(const Operand& operand, const Numbering& numbering,
                             std::int64_t one_in) {
  if (numbering.dense) return (numel(operand.shape) + one_in - 1) / one_in;
  std::int64_t count = 0;
  for_each_element(
      operand.shape, [&](std::int64_t, std::int64_t number) { count += number % one_in == 0; },
      numbering.strides);
  return count;
}

}  // namespace

bool begins_sums(const Case& c, int k) {
  const bool is_only_one = overload_of(c).operands.size() == 1;
  return k == 0 && !(is_only_one && operator_of(c).terms != nullptr);
}

SumTerms sum_terms(const Case& c, int k, Dtype real, const Numbering& numbering) {
  const Operand& operand = operand_at(c, k);
  SumTerms terms;
  terms.is_wide =
      operand.fill.kind == FillKind::kSums5 && info(real).family == DtypeFamily::kInteger;
  const std::int64_t budget = sum_budget(real, terms.is_wide);
  const std::int64_t share = begins_sums(c, k) ? budget : budget / terms_in_one_sum(c, k);
  terms.magnitude = static_cast<std::uint64_t>(
      std::clamp<std::int64_t>(share, 1, terms.is_wide ? budget : kLargestTerm));
  if (share > 0) return terms;
  // Too many terms for a sum of ones: let few elements be other than 0.
  const std::int64_t count = std::max<std::int64_t>(numel(operand.shape), 1);
  const std::int64_t total = count * uses_of_each(c, k);
  const std::int64_t copies =
      std::max<std::int64_t>(total / std::max<std::int64_t>(numbering.count, 1), 1);
  terms.one_in = (2 * total + budget - 1) / budget;
  terms.fits = 2 * copies <= budget;
  // Sliding may leave value numbers that no element takes, so that `copies` is too low.
  if (terms.fits && has_sliding(operand.layout))
    terms.fits = count_multiples(operand, numbering, terms.one_in) * (total / count) <= budget;
  return terms;
}

Factors factors(const Case& c, int k, Dtype real, const Numbering& numbering) {
  const Operand& operand = operand_at(c, k);
  const bool is_self = k == 0;
  // A product has at most the bits of its factors together; kFewBits of them are self's.
  const std::int64_t bits = is_self ? kFewBits : info(real).exact_bits - kFewBits;
  const std::int64_t uses = uses_of_each(c, k);
  const std::int64_t total = is_self ? 1 : std::max<std::int64_t>(numel(operand.shape) * uses, 1);
  const std::int64_t share = std::clamp(bits / total, kFewBits, kManyBits);
  Factors factors;
  if (share * total > bits) factors.one_in = share * total / bits + 1;
  const std::int64_t in_use = count_multiples(operand, numbering, factors.one_in) * uses;
  if (is_self || share * in_use <= bits) factors.most = (1u << share) - 1;
  return factors;
}

}  // namespace indexfuzz
