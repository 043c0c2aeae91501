#include "ops/expectation.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "case/number.h"
#include "ops/definition/illegal_rule.h"
#include "ops/fills/table.h"
#include "ops/fills/write_fill.h"
#include "ops/numbers/agreement.h"
#include "ops/numbers/mean.h"

namespace indexfuzz {

namespace {

using Values = std::vector<std::vector<std::byte>>;

void contributors(const OracleInput& input, Expectation& e) {
  struct Context {
    Expectation& e;
    std::size_t size;
  } context{e, item_size(e.result.dtype)};
  operator_of(e.c).contributions(
      input,
      [](void* opaque, Contribution contribution) {
        auto& [expected, bytes] = *static_cast<Context*>(opaque);
        auto& values = expected.admissible[static_cast<std::size_t>(contribution.element)];
        std::vector<std::byte> value(contribution.value, contribution.value + bytes);
        if (std::ranges::find(values, value) == values.end()) values.push_back(std::move(value));
      },
      &context);
  for (auto& values : e.admissible) {
    if (values.size() < 2) values.clear();
  }
}

/// The oracle's number and, of those closest to it in bits, all that are right as well: it with the
/// other sign, the one below and the one above. Empty if there is no other.
Values right_numbers(const std::vector<std::byte>& number, auto&& is_right) {
  Values all(1, number);
  std::uint64_t bits = 0;
  std::memcpy(&bits, number.data(), number.size());
  const std::uint64_t sign = std::uint64_t{1} << (8 * number.size() - 1);
  for (const std::uint64_t close : {bits ^ sign, bits - 1, bits + 1}) {
    std::vector<std::byte> value(number.size());
    std::memcpy(value.data(), &close, value.size());
    if (is_right(value)) all.push_back(std::move(value));
  }
  return all.size() > 1 ? all : Values();
}

std::vector<std::byte> value_at(const Expectation& e, std::size_t element) {
  const auto size = static_cast<std::ptrdiff_t>(item_size(e.result.dtype));
  const auto begin = e.values.begin() + static_cast<std::ptrdiff_t>(element) * size;
  return {begin, begin + size};
}

/// Fills `tolerance`, and `admissible` if a neighbouring number is further off than the tolerance.
void tolerances(const OracleInput& input, Expectation& e) {
  std::vector<std::vector<Contribution>> terms(e.tolerance.size());
  operator_of(e.c).contributions(
      input,
      [](void* context, Contribution term) {
        auto& all = *static_cast<std::vector<std::vector<Contribution>>*>(context);
        all[static_cast<std::size_t>(term.element)].push_back(term);
      },
      &terms);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    e.tolerance[i] = mean_tolerance(e.result.dtype, terms[i]);
    if (e.tolerance[i] == 0) continue;
    const std::vector<std::byte> value = value_at(e, i);
    const double number = to_double(e.result.dtype, value.data());
    e.admissible[i] = right_numbers(value, [&](const std::vector<std::byte>& other) {
      return are_neighbours(e.result.dtype, value.data(), other.data()) &&
             std::abs(to_double(e.result.dtype, other.data()) - number) > e.tolerance[i];
    });
  }
}

/// Fills `admissible` by what two numbers alone tell.
void other_roundings(Expectation& e) {
  const Dtype dtype = e.result.dtype;
  if (info(dtype).family != DtypeFamily::kFloating) return;
  for (std::size_t i = 0; i < e.admissible.size(); ++i) {
    const std::vector<std::byte> value = value_at(e, i);
    e.admissible[i] = right_numbers(value, [&](const std::vector<std::byte>& other) {
      return agrees_beside(e.agreement, dtype, value.data(), other.data());
    });
  }
}

/// The expectation, with the indices of a table as the oracle reads them.
Expectation computed(const Case& legal) {
  Expectation e;
  e.c = legal;
  e.must_refuse = legal.breaks != 0 && apply_rule(e.c);
  std::vector<LogicalOperand> logical;
  for (int k = 0; k < static_cast<int>(e.c.operands.size()); ++k) {
    const Operand& operand = operand_at(e.c, k);
    const std::int64_t count = operand.present ? numel(operand.shape) : 0;
    auto& bytes =
        e.operands.emplace_back(static_cast<std::size_t>(count) * item_size(operand.dtype));
    if (count > 0) write_fill(e.c, k, bytes.data());
    logical.push_back({bytes.data(), count});
  }
  if (e.must_refuse) return e;
  const OperatorInfo& row = operator_of(e.c);
  const OracleInput input{e.c, logical};
  e.result = row.result(e.c);
  const std::size_t size = item_size(e.result.dtype);
  const auto count = static_cast<std::size_t>(numel(e.result.shape));
  e.values.resize(count * size);
  row.oracle(input, e.values.data());
  e.agreement = row.agreement(e.c);
  switch (e.agreement) {
    case Agreement::kExact:
    case Agreement::kSum: return e;
    case Agreement::kAnyContributor:
      e.admissible.resize(count);
      contributors(input, e);
      break;
    case Agreement::kEitherZero:
    case Agreement::kQuotient:
      e.admissible.resize(count);
      other_roundings(e);
      break;
    case Agreement::kMean:
      e.admissible.resize(count);
      e.tolerance.resize(count);
      tolerances(input, e);
      break;
  }
  return e;
}

}  // namespace

Expectation expectation(const Case& legal) {
  Expectation e = computed(legal);
  for (std::size_t k = 0; k < e.operands.size(); ++k)
    raise_indices(e.c, static_cast<int>(k), e.operands[k].data());
  return e;
}

bool has_choices(const Expectation& e) {
  return std::ranges::any_of(e.admissible, [](const auto& values) { return !values.empty(); }) ||
         std::ranges::any_of(e.tolerance, [](double tolerance) { return tolerance > 0; });
}

std::string_view why_several(const Expectation& e) {
  switch (e.agreement) {
    case Agreement::kEitherZero: return "A zero may have either sign";
    case Agreement::kQuotient:
      return "A quotient may be the number beside the nearest one, as a product with the "
             "reciprocal";
    case Agreement::kMean:
      return "A mean may be off by the roundings of its terms, which one may divide before they "
             "are added";
    case Agreement::kExact:
    case Agreement::kSum:
    case Agreement::kAnyContributor: break;
  }
  return operator_of(e.c).why_several;
}

}  // namespace indexfuzz
