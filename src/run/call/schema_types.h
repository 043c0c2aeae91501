#pragma once
// The types of a schema's arguments.

#include <ATen/core/jit_type.h>

#include <optional>

#include "run/call/plan.h"

namespace indexfuzz {

inline const c10::Type& without_optional(const c10::Type& type) {
  return type.kind() == c10::TypeKind::OptionalType ? *type.containedType(0) : type;
}

inline bool is_tensor(const c10::Type& type) {
  return without_optional(type).kind() == c10::TypeKind::TensorType;
}

inline bool is_tensor_list(const c10::Type& type) {
  const c10::Type& plain = without_optional(type);
  return plain.kind() == c10::TypeKind::ListType && is_tensor(*plain.containedType(0));
}

inline bool is_int_list(const c10::Type& type) {
  const c10::Type& plain = without_optional(type);
  if (plain.kind() != c10::TypeKind::ListType) return false;
  const c10::TypeKind kind = plain.containedType(0)->kind();
  return kind == c10::TypeKind::IntType || kind == c10::TypeKind::SymIntType;
}

inline bool is_string(const c10::Type& type) {
  return without_optional(type).kind() == c10::TypeKind::StringType;
}

inline bool takes_none(const c10::Type& list) {
  return without_optional(list).containedType(0)->kind() == c10::TypeKind::OptionalType;
}

/// How an argument of this type takes a number; none if it takes none.
inline std::optional<Argument::As> number_kind(const c10::Type& type) {
  switch (without_optional(type).kind()) {
    case c10::TypeKind::BoolType: return Argument::As::kBool;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType: return Argument::As::kInt;
    case c10::TypeKind::FloatType: return Argument::As::kDouble;
    case c10::TypeKind::NumberType: return Argument::As::kNumber;
    default: return std::nullopt;
  }
}

}  // namespace indexfuzz
