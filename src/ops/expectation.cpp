#include "ops/expectation.h"

#include <algorithm>

namespace indexfuzz {

Expectation expectation(const Case& legal) {
  Expectation e;
  e.c = legal;
  e.must_refuse = legal.breaks != 0 && apply_rule(e.c);
  std::vector<LogicalOperand> logical;
  for (int k = 0; k < static_cast<int>(e.c.operands.size()); ++k) {
    const Operand& operand = e.c.operands[static_cast<std::size_t>(k)];
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
  if (e.agreement == Agreement::kAnyContributor) {
    e.admissible.resize(count);
    struct Context {
      Expectation& e;
      std::size_t size;
    } context{e, size};
    row.contributions(
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
  return e;
}

}  // namespace indexfuzz
