#include "reproduce/wrong_elements.h"

#include <fmt/format.h>

#include <algorithm>

#include "case/strings/counted.h"
#include "ops/definition/operator.h"
#include "reproduce/values_code.h"

namespace indexfuzz {

std::string wrong_elements(const Verdict& verdict, const Case& c) {
  if (verdict.element < 0) return "";
  ResultSpec spec;
  if (verdict.operand < 0 || verdict.operand == written_operand(c)) {
    spec = operator_of(c).result(c);
  } else {
    const Operand& operand = operand_at(c, verdict.operand);
    spec = {operand.shape, operand.dtype};
  }
  std::string place;
  std::int64_t rest = verdict.element;
  for (std::size_t d = spec.shape.size(); d-- > 0;
       rest /= std::max<std::int64_t>(spec.shape[d], 1)) {
    place = fmt::format("{}{}{}", rest % std::max<std::int64_t>(spec.shape[d], 1),
                        place.empty() ? "" : ", ", place);
  }
  return fmt::format("{}, the first at ({}): {}, expected {}",
                     plural(static_cast<std::uint64_t>(verdict.wrong_elements), "wrong element"),
                     place, element_text(spec.dtype, verdict.actual.data()),
                     element_text(spec.dtype, verdict.expected.data()));
}

}  // namespace indexfuzz
