#include "ops/definition/illegal_rule.h"

#include <algorithm>

#include "case/limits.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

bool apply_rule(Case& c) {
  if (c.breaks == 0) return true;
  const IllegalRule* rule = rule_of(c);
  if (rule == nullptr || !rule->apply(c)) return false;
  // A rule may enlarge an operand: it must still fit into guarded memory.
  return std::ranges::all_of(c.operands, [](const Operand& operand) {
    const Strided view = strided(operand.shape, operand.layout);
    return view.storage_elements * static_cast<std::int64_t>(item_size(operand.dtype)) <=
           kMaxStorageBytes;
  });
}

const IllegalRule* rule_of(const Case& c) {
  if (c.breaks == 0) return nullptr;
  for (const IllegalRule& rule : operator_of(c).rules) {
    if (rule.number == c.breaks) return &rule;
  }
  return nullptr;
}

bool is_illegal_by_value(const Case& applied) {
  const IllegalRule* const rule = rule_of(applied);
  return rule != nullptr &&
         (rule->has(kByValue) || std::ranges::any_of(applied.operands, [](const Operand& operand) {
            return operand.poked && family(operand.fill.kind) == FillFamily::kIndex;
          }));
}

bool ends_gpu_context(Case c) {
  return c.breaks != 0 && apply_rule(c) && is_illegal_by_value(c);
}

}  // namespace indexfuzz
