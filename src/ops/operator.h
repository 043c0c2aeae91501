#pragma once
// An operator is a row of data and a few free functions, all in one file src/ops/<operator>.cpp.
// Everything else of indexfuzz works from these rows.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "case/case.h"
#include "case/limits.h"

namespace indexfuzz {

/// What an operand is for; decides the family of its fill and its dtypes.
enum class Role : std::uint8_t {
  kValue,        ///< elements that are moved or combined
  kIndex,        ///< int32 or int64 positions
  kIndexOrMask,  ///< positions, or a bool / uint8 mask
  kMask,         ///< a bool (or uint8) mask
  kZeroOrNot,    ///< elements of any dtype of which only this counts
  kScalar,       ///< one number of kScalarDtypes, passed by value
  kOut,          ///< `out=`
};

/// Whether ATen takes an operand from the host where self lies on a GPU.
enum class OnHost : std::uint8_t { kNever, kZeroDim, kAlways };

struct OperandSpec {
  std::string_view name;  ///< the schema's argument name: "self", "index"
  Role role;
  bool is_list = false;     ///< zero or more tensors or None; only the last operand of an overload
  bool broadcasts = false;  ///< its shape is drawn to broadcast with self's
  OnHost on_host = OnHost::kNever;
  /// Where the call names no dim, its shape owes nothing to self's.
  bool any_shape = false;
  bool is_factor = false;  ///< a number that changes nothing where it is 1
};

enum class AttributeType : std::uint8_t {
  kInt,  ///< a dimension, or what is as small
  kOptionalInt,
  kRow,  ///< of a table, or kNoRow
  kBool,
  kSize,    ///< a number of elements
  kChoice,  ///< one of several strings
  kCode,    ///< the same, passed as its number
};
inline bool is_choice(AttributeType type) {
  return type == AttributeType::kChoice || type == AttributeType::kCode;
}
inline bool is_dim(AttributeType type) {
  return type == AttributeType::kInt || type == AttributeType::kOptionalInt;
}
/// None, as the value of a kOptionalInt attribute.
inline constexpr std::int64_t kNoInt = std::numeric_limits<std::int64_t>::min();
/// No row, as the value of a kRow attribute.
inline constexpr std::int64_t kNoRow = -1;
struct AttributeSpec {
  std::string_view name;  ///< the schema's argument name: "dim", "accumulate"
  AttributeType type;
  /// Of a kChoice or kCode attribute, whose value is a place here.
  std::span<const std::string_view> choices = {};
};

/// One argument of the ATen schema, in its order (without `out`).
struct Parameter {
  enum class Kind : std::uint8_t { kOperand, kAttribute } kind;
  std::uint8_t slot;  ///< into Overload::operands or Overload::attributes
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
};

struct Overload {
  std::string_view name;  ///< "" where the operator has one
  std::span<const OperandSpec> operands;
  std::span<const AttributeSpec> attributes;
  std::span<const Parameter> parameters;
  std::span<const Form> forms;
  /// How many tensors ATen returns, of which the first is judged.
  std::size_t results = 1;
};

/// A rule that a legal case can be made to break; the call must then be refused.
struct IllegalRule {
  std::uint8_t number;    ///< stable, from 1; part of the byte form
  std::string_view name;  ///< "index_above"
  /// Turns a legal case into one that breaks this rule and no other; false where it cannot.
  bool (*apply)(Case&);
  /// Whether only the operands' values break it, so that a GPU notices inside the kernel. Where one
  /// index does (`poke_index`), that is known without.
  bool by_value = false;
  /// Whether ATen alone is held to it: somebody else's kernel may leave it open, or inherit the
  /// mistake from what PyTorch gives it.
  bool aten_only = false;
  /// Whether a call may as well return a result without elements.
  bool may_be_empty = false;
  /// Whether somebody else's kernel may accept it and return what it likes, as long as it stays
  /// within memory.
  bool is_free = false;
};

/// The elements of an operand as the oracle sees them: dense, in logical row-major order.
struct LogicalOperand {
  const std::byte* data = nullptr;
  std::int64_t count = 0;
};
struct OracleInput {
  const Case& c;
  std::span<const LogicalOperand> operands;  ///< parallel to c.operands
};

/// What a call returns, or leaves in the operand that it writes.
struct ResultSpec {
  Dims shape;
  Dtype dtype;
};

/// Of a call that leaves self's elements or replaces them: operand 0 is self.
inline ResultSpec result_like_self(const Case& c) {
  return {c.operands[0].shape, c.operands[0].dtype};
}

/// Which results are right, beyond the oracle's own.
enum class Agreement : std::uint8_t {
  kExact,           ///< these bytes; NaN agrees with NaN
  kAnyContributor,  ///< where several writes meet, any one of them may win
  /// These bytes, or a zero of the other sign where the (real) number is zero.
  kEitherZero,
  /// Quotients: the same, or one of the two floating-point numbers beside them, since one may
  /// multiply by the reciprocal.
  kQuotient,
  /// Means: these bytes, or of floating point a number as near as mean_tolerance() says, since one
  /// may add quotients, or update a mean with each term.
  kMean,
  /// Sums: these bytes, except that a custom kernel that multiplies by 1 + 0i may turn one part of
  /// a complex number into NaN where the other part is infinite or NaN.
  kSum,
};

/// Takes each (element of the result, value written there) of a kAnyContributor case, and each
/// (element, term of its mean) of a kMean one.
struct Contribution {
  std::int64_t element;
  const std::byte* value;
};
using ContributionSink = void (*)(void* context, Contribution);

struct OperatorInfo {
  std::uint16_t number;   ///< stable; part of the byte form
  std::string_view name;  ///< ATen's name without namespace
  std::span<const Overload> overloads;
  std::span<const IllegalRule> rules;

  /// Makes any case of this operator legal within the limits; called by `repair()` only.
  void (*repair)(Case&, const Limits&);
  /// The result of a legal case; for the in-place variant its shape equals self's.
  ResultSpec (*result)(const Case&);
  /// For an index operand: indices lie in [0, bound). Null without any.
  std::int64_t (*index_bound)(const Case&, int operand) = nullptr;
  /// Whether index operands may hold negative indices.
  bool wraps_negative_indices = false;
  /// The dtype that the call converts the elements of an operand to, which they are then drawn to
  /// fit exactly, or to round to in one way; null: their own.
  Dtype (*cast_to)(const Case&, int operand) = nullptr;
  /// Writes the dense result, numel(result.shape) elements, for a legal case.
  void (*oracle)(const OracleInput&, std::byte* result);
  Agreement (*agreement)(const Case&);
  /// For sums and products: how often each element of operand k takes part, at most; null: once.
  std::int64_t (*uses)(const Case&, int operand) = nullptr;
  /// Cases that ATen alone is asked: legal ones that somebody else's kernel may take in another way,
  /// or not at all, and illegal ones that end in ATen's own memory. Null: none.
  bool (*aten_only)(const Case&) = nullptr;
  /// Only for kAnyContributor and kMean.
  void (*contributions)(const OracleInput&, ContributionSink, void* context) = nullptr;
};

/// By number, null where there is none; looked at several times a case.
extern constinit std::array<const OperatorInfo*, 256> operators_by_number;
/// All operators, in the order of their names.
std::span<const OperatorInfo* const> operators();
/// The place there of the operator with this number; -1 where there is none.
int place_of(std::uint16_t number);
const OperatorInfo* find_operator(std::string_view name);
inline const OperatorInfo* find_operator(std::uint16_t number) {
  return number < operators_by_number.size() ? operators_by_number[number] : nullptr;
}
/// Ends the program: a case's operator must have a known number.
[[noreturn]] void unknown_operator(const Case& c);
/// The operator of a case; the case must hold a known number.
inline const OperatorInfo& operator_of(const Case& c) {
  const OperatorInfo* row = find_operator(c.op);
  if (row == nullptr) unknown_operator(c);
  return *row;
}
inline const Overload& overload_of(const Case& c) {
  return operator_of(c).overloads[c.overload];
}
/// The plainest value of an attribute, which others are shrunk to; 0 behind the last one.
inline std::int64_t plain_value(const Case& c, std::size_t attribute) {
  const auto specs = overload_of(c).attributes;
  return attribute < specs.size() && specs[attribute].type == AttributeType::kRow ? kNoRow : 0;
}
/// The spec of operand k of a case, `out` included.
const OperandSpec& spec_of(const Case& c, int operand);
/// "self", "indices[1]", "out".
std::string operand_name(const Case& c, int operand);
/// The form called by a case; null where the overload lacks its variant.
const Form* form_of(const Case& c);
const Form* find_form(const Overload& overload, Variant variant);

/// That can be registered, and the overloads that one of them may have.
inline constexpr std::size_t kMaxOperators = 64, kMaxOverloads = 32;
/// Puts an operator's row into `operators()`: one static object in each operator's file.
struct RegisterOperator {
  explicit RegisterOperator(const OperatorInfo& info);
};

/// Turns any case into a legal one under the limits. Idempotent. Clears what only rules may set.
void repair(Case& c, const Limits& limits);

/// A copy of the case with its broken rule applied; the case itself where it breaks none.
/// `apply_rule` false: the rule does not apply to this case.
bool apply_rule(Case& c);
const IllegalRule* rule_of(const Case& c);
/// Whether only the operands' values make an applied case illegal. On a GPU the kernel finds out,
/// and has no other answer than an assertion, which ends the process's context.
bool is_illegal_by_value(const Case& applied);
/// The same of a case as it was drawn, whose rule need not apply to it.
bool ends_gpu_context(Case c);

/// Writes the fill of operand k, dense, in logical row-major order, into numel × item_size bytes.
void write_fill(const Case& c, int operand, std::byte* destination);

}  // namespace indexfuzz
