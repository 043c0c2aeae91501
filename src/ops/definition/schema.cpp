#include "ops/definition/schema.h"

namespace indexfuzz {

bool lists_indices(const Overload& overload) {
  const OperandSpec& last = overload.operands.back();
  return last.is_list && last.role == Role::kIndexOrMask;
}

bool lists_values(const Overload& overload) {
  const OperandSpec& last = overload.operands.back();
  return last.is_list && last.role == Role::kValue;
}

const Form* find_form(const Overload& overload, Variant variant) {
  for (const Form& form : overload.forms) {
    if (form.variant == variant) return &form;
  }
  return nullptr;
}

}  // namespace indexfuzz
