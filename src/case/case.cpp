#include "case/case.h"

namespace indexfuzz {

std::string_view name(Variant variant) {
  switch (variant) {
    case Variant::kFunctional: return "functional";
    case Variant::kInPlace: return "in-place";
    case Variant::kOut: return "out";
  }
  return "unknown";
}

std::int64_t total_elements(const Case& c) {
  std::int64_t total = 0;
  for (const Operand& operand : c.operands) {
    if (operand.present) total += numel(operand.shape);
  }
  return total;
}

}  // namespace indexfuzz
