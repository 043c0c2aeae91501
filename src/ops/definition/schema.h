#pragma once
// How an operator is called: what its operands and attributes are, ATen's schema, and the text of a
// call.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "case/case.h"
#include "ops/definition/attribute.h"

namespace indexfuzz {

/// What an operand is for. Decides the family of its fill and its dtypes.
enum class Role : std::uint8_t {
  kValue,        ///< elements that are moved or combined
  kIndex,        ///< int32 or int64 positions, or numbers like them
  kIndexOrMask,  ///< positions, or a bool / uint8 mask
  kMask,         ///< a bool (or uint8) mask
  kZeroOrNot,    ///< elements of any dtype; only whether they are zero counts
  kScalar,       ///< one number of kScalarDtypes, passed by value
  kOut,          ///< `out=`
};

/// Whether ATen takes an operand in host memory when self is on a GPU.
enum class OnHost : std::uint8_t { kNever, kZeroDim, kAlways };

struct OperandSpec {
  std::string_view name;  ///< the schema's argument name: "self", "index"
  Role role;
  /// One or more tensors; for kIndexOrMask zero or more tensors or None. Only the last operand of
  /// an overload.
  bool is_list = false;
  bool broadcasts = false;  ///< its shape is drawn to broadcast with self's
  OnHost on_host = OnHost::kNever;
  /// If the call names no dim, this operand's shape is independent of self's.
  bool any_shape = false;
  bool is_factor = false;       ///< a number that has no effect if it is 1
  bool is_count = false;        ///< kIndex only: numbers that the size of the result follows from
  bool any_integer = false;     ///< kIndex only: any of kIntegralDtypes
  bool copies_storage = false;  ///< ATen copies it with all of its storage, up to its last element
};

/// One argument of the ATen schema, in its order (without `out`).
struct Parameter {
  /// An operand, an attribute, neighbouring attributes as one list of integers, the shape of the
  /// result as one, or False or None for what no case has, which may be missing from a custom
  /// kernel's schema.
  enum class Kind : std::uint8_t {
    kOperand,
    kAttribute,
    kAttributeList,
    kResultShape,
    kNothing
  } kind;
  std::uint8_t slot;       ///< index into Overload::operands or Overload::attributes, if of either
  std::uint8_t count = 1;  ///< kAttributeList only: how many attributes, from `slot` on
  std::string_view name = {};  ///< the schema's argument name, unless it is the operand's or the
                               ///< attribute's
  /// kAttribute and kAttributeList only: the result does not depend on it, so that a custom kernel
  /// may lack it.
  bool without_effect = false;
  /// kAttributeList only: how often the list has its last attribute. A list of one attribute may
  /// have it once for each dimension.
  std::uint8_t times = 1;
};

constexpr Parameter operand(int slot) {
  return {Parameter::Kind::kOperand, static_cast<std::uint8_t>(slot)};
}
constexpr Parameter attribute(int slot) {
  return {Parameter::Kind::kAttribute, static_cast<std::uint8_t>(slot)};
}
/// An attribute on which the result does not depend.
constexpr Parameter attribute_without_effect(int slot) {
  Parameter parameter = attribute(slot);
  parameter.without_effect = true;
  return parameter;
}
/// A list of `count` attributes, from `slot` on.
constexpr Parameter attribute_list(int slot, int count, std::string_view name) {
  return {.kind = Parameter::Kind::kAttributeList,
          .slot = static_cast<std::uint8_t>(slot),
          .count = static_cast<std::uint8_t>(count),
          .name = name};
}
/// A list of so many numbers that are all this attribute.
constexpr Parameter repeated_attribute(int slot, int times, std::string_view name) {
  Parameter parameter = attribute_list(slot, 1, name);
  parameter.times = static_cast<std::uint8_t>(times);
  return parameter;
}
/// The shape of the result.
constexpr Parameter result_shape(std::string_view name) {
  return {.kind = Parameter::Kind::kResultShape, .slot = 0, .name = name};
}
/// False or None.
constexpr Parameter nothing(std::string_view name) {
  return {.kind = Parameter::Kind::kNothing, .slot = 0, .name = name};
}

/// An argument of a schema with several `out` for a result that is not judged. It is passed an
/// empty tensor.
struct SpareOut {
  std::string_view name = {};     ///< the schema's argument name; "" if there is none
  bool has_dtype_of_self = true;  ///< otherwise int64
};

/// How one variant of an overload is called.
struct Form {
  Variant variant;
  std::string_view aten_name;      ///< "index_put_" (namespace aten)
  std::string_view aten_overload;  ///< "", "out"
  /// The call as a person writes it. `{self}`, `{dim}`, `{out}`, … stand for the operands and
  /// attributes by name; a list is written as the language's list of optional tensors.
  std::string_view python;
  std::string_view cpp;
  SpareOut spare = {};  ///< kOut only
};

struct Overload {
  std::string_view name;  ///< "" if it is the operator's only one
  std::span<const OperandSpec> operands;
  std::span<const AttributeSpec> attributes;
  std::span<const Parameter> parameters;
  std::span<const Form> forms;
  /// The number of tensors that ATen returns, and which of them is judged, from 0. A custom kernel
  /// may return the first one alone.
  std::size_t results = 1, judged = 0;
};

/// Whether the overload's last operand is a list of index tensors, masks and gaps.
bool lists_indices(const Overload& overload);
/// Whether the overload's last operand is a list of values.
bool lists_values(const Overload& overload);
/// The form of a variant; null if the overload lacks it.
const Form* find_form(const Overload& overload, Variant variant);

}  // namespace indexfuzz
