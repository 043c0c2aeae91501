#pragma once
// An operator is a row of data and a few free functions, all in one file src/ops/<operator>.cpp.
// Everything else of indexfuzz works from these rows.

#include <algorithm>
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

enum class AttributeType : std::uint8_t {
  kDim,          ///< a dimension of the operands, counted from either end
  kOptionalDim,  ///< as kDim, or None; an overload has at most one
  kNewDim,       ///< the place of a dimension that the result has besides those of the operands
  kRow,          ///< a row of a table, or kNoRow
  kBool,
  kSize,           ///< a number of elements
  kOptionalSize,   ///< a number of elements that follows from the operands, or None
  kOptionalRow,    ///< a row of a table, counted from either end, or None
  kOptionalPlace,  ///< a place along a dimension, counted from either end; any int64, or None
  kStep,           ///< from one place to the next: any int64 of 1 or more
  kAnyInt,         ///< any int64: how far a diagonal lies from the main one, a number to fill with
  kDims,           ///< a set of dimensions (case/dim_set.h)
  kChoice,         ///< one of several strings
  kCode,           ///< as kChoice, but passed as a number
};
inline bool is_choice(AttributeType type) {
  return type == AttributeType::kChoice || type == AttributeType::kCode;
}
inline bool is_dim(AttributeType type) {
  return type == AttributeType::kDim || type == AttributeType::kOptionalDim ||
         type == AttributeType::kNewDim;
}
/// How many dimensions an attribute that is_dim() can name if the operands have this rank.
inline int nameable_dims(AttributeType type, int rank) {
  return type == AttributeType::kNewDim ? rank + 1 : std::max(rank, 1);
}
inline bool is_optional(AttributeType type) {
  return type == AttributeType::kOptionalDim || type == AttributeType::kOptionalSize ||
         type == AttributeType::kOptionalRow || type == AttributeType::kOptionalPlace;
}
/// None, as the value of an attribute that is_optional().
inline constexpr std::int64_t kNoInt = std::numeric_limits<std::int64_t>::min();
/// No row, as the value of a kRow attribute.
inline constexpr std::int64_t kNoRow = -1;
struct AttributeSpec {
  std::string_view name;  ///< the schema's argument name: "dim", "accumulate"
  AttributeType type;
  /// kChoice and kCode only: the attribute's value is an index into this.
  std::span<const std::string_view> choices = {};
};

/// What a call is passed for a choice beyond the last, which only an illegal rule makes.
inline constexpr std::string_view kUnknownChoice = "unknown";
inline std::string_view choice_of(const AttributeSpec& spec, std::int64_t value) {
  const auto place = static_cast<std::size_t>(value);
  return place < spec.choices.size() ? spec.choices[place] : kUnknownChoice;
}

/// One argument of the ATen schema, in its order (without `out`).
struct Parameter {
  /// An operand, an attribute, neighbouring attributes as one list of integers, or False or None
  /// for what no case has, which may be missing from a custom kernel's schema.
  enum class Kind : std::uint8_t { kOperand, kAttribute, kAttributeList, kNothing } kind;
  std::uint8_t slot;           ///< index into Overload::operands or Overload::attributes
  std::uint8_t count = 1;      ///< kAttributeList only: how many attributes, from `slot` on
  std::string_view name = {};  ///< kAttributeList and kNothing only: the schema's argument name
  /// kAttribute only: the result does not depend on it, so that a custom kernel may lack it.
  bool without_effect = false;
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
  std::string_view name;  ///< "" if it is the operator's only one
  std::span<const OperandSpec> operands;
  std::span<const AttributeSpec> attributes;
  std::span<const Parameter> parameters;
  std::span<const Form> forms;
  /// The number of tensors that ATen returns; the first is judged.
  std::size_t results = 1;
};

/// What softens a rule, as bits of IllegalRule::flags.
enum RuleFlag : unsigned {
  /// Only the operands' values break it, so that a GPU notices it only inside the kernel. Not
  /// needed for rules that use poke_index(), which is_illegal_by_value() recognises by itself.
  kByValue = 1,
  /// Only ATen is held to it: a custom kernel may leave it open, or inherit a missing check from
  /// the parts of PyTorch that it uses.
  kATenOnly = 2,
  /// The call may return a result without elements instead of refusing.
  kMayBeEmpty = 4,
  /// A custom kernel may accept the case and return anything, within its own memory.
  kMayReturnAnything = 8,
};

/// A rule that a legal case can be made to break; the call must then be refused.
struct IllegalRule {
  std::uint8_t number;    ///< stable, from 1; part of the byte form
  std::string_view name;  ///< "index_above"
  /// Turns a legal case into one that breaks this rule and no other; false if it cannot.
  bool (*apply)(Case&);
  unsigned flags = 0;  ///< of RuleFlag

  constexpr bool has(RuleFlag flag) const { return (flags & flag) != 0; }
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

/// The result of a call that returns self (operand 0) with some of its elements replaced.
inline ResultSpec result_like_self(const Case& c) {
  return {c.operands[0].shape, c.operands[0].dtype};
}

/// Which results are right besides the oracle's own.
enum class Agreement : std::uint8_t {
  kExact,  ///< these bytes; NaN agrees with NaN
  /// If several writes meet in an element, any one of them may win. Of a complex number a custom
  /// kernel may store each part by itself: to a GPU a vector is several stores, in no order (PTX
  /// ISA, memory consistency model, vector data-types).
  kAnyContributor,
  /// These bytes or, if the (real) number is zero, a zero of the other sign.
  kEitherZero,
  /// Quotients: as kEitherZero, or one of the two neighbouring floating-point numbers, since an
  /// implementation may multiply by the reciprocal.
  kQuotient,
  /// Means: these bytes or, in floating point, a number within mean_tolerance() or a neighbour,
  /// since an implementation may add quotients or update a running mean.
  kMean,
  /// Sums: these bytes, except that a custom kernel that multiplies by 1 + 0i may turn one part of
  /// a complex number into NaN where the other part is infinite or NaN.
  kSum,
};

/// What PyTorch implements of the derivatives of calls that are linear in their operands: each of
/// these derivatives is a computation of the call itself.
enum class Derivatives : std::uint8_t {
  kNone,      ///< nothing; or no call is linear, or has an operand that can be differentiated
  kBackward,  ///< the gradient
  kAll,       ///< its own gradient and the derivative in forward mode, too
};

/// For kAnyContributor a value that is written to an element of the result; for kMean a term of the
/// element's mean.
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

  /// The fewest dimensions of self, or of a bag's table; repair() adds those that are missing.
  int least_rank = 0;
  /// The operand whose dimensions an attribute that is_dim() counts.
  int dim_operand = 0;
  /// Makes any case of this operator legal within the limits; called by `repair()` only.
  void (*repair)(Case&, const Limits&);
  /// The result of a legal case; for the in-place variant its shape equals self's.
  ResultSpec (*result)(const Case&);
  /// For an index operand: indices lie in [0, bound). Null if there are no index operands.
  std::int64_t (*index_bound)(const Case&, int operand) = nullptr;
  /// Changes the indices that the fill has written, dense, where an element may not hold every one
  /// below the bound. Null: each may.
  void (*confine_indices)(const Case&, int operand, std::byte* indices) = nullptr;
  /// Whether index operands may hold negative indices.
  bool wraps_negative_indices = false;
  /// The dtype to which the call converts an operand's elements. They are drawn so that the
  /// conversion is exact or rounds in only one way. Null: no operand is converted.
  Dtype (*cast_to)(const Case&, int operand) = nullptr;
  /// Writes the dense result, numel(result.shape) elements, for a legal case.
  void (*oracle)(const OracleInput&, std::byte* result);
  Agreement (*agreement)(const Case&);
  /// For sums and products: how often each element of the operand takes part at most; null: once.
  std::int64_t (*uses)(const Case&, int operand) = nullptr;
  /// For sums: how many elements of the operand, counted as often as they take part, meet in one
  /// sum at most. Null: all of them.
  std::int64_t (*terms)(const Case&, int operand) = nullptr;
  /// Cases that only ATen is called with: legal ones that a custom kernel may reasonably interpret
  /// differently or refuse, and illegal ones in which ATen itself overruns its memory. Null: none.
  bool (*aten_only)(const Case&) = nullptr;
  /// Whether the writer that wins may change from call to call under deterministic algorithms, too.
  bool may_change = false;
  /// Only for kAnyContributor and kMean.
  void (*contributions)(const OracleInput&, ContributionSink, void* context) = nullptr;
  Derivatives derivatives = Derivatives::kAll;
  /// Whether torch.vmap can batch the call.
  bool can_be_batched = true;
  /// Whether ATen has a kernel of it for sparse operands.
  bool takes_sparse = false;
  /// Whether the shape of the result depends on values, so that ATen cannot tell it without data.
  bool shape_by_values = false;
};

/// Indexed by number; null if no operator has it. An array, since it is read several times per
/// case.
extern constinit std::array<const OperatorInfo*, 256> operators_by_number;
/// All operators, in the order of their names.
std::span<const OperatorInfo* const> operators();
/// The index in operators() of the operator with this number; -1 if there is none.
int place_of(std::uint16_t number);
/// The operator of this name or number; null if there is none.
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
/// The overload of a case; its operator must have one of this index, which is not checked.
inline const Overload& overload_of(const Case& c) {
  return operator_of(c).overloads[c.overload];
}
/// The plainest value of an attribute, to which others are shrunk; 0 beyond the last attribute.
inline std::int64_t plain_value(const Case& c, std::size_t attribute) {
  const auto specs = overload_of(c).attributes;
  if (attribute >= specs.size()) return 0;
  const AttributeType type = specs[attribute].type;
  const bool is_best_left_out = is_optional(type) && !is_dim(type);
  if (is_best_left_out) return kNoInt;
  if (type == AttributeType::kStep) return 1;
  return type == AttributeType::kRow ? kNoRow : 0;
}
/// Whether the attribute is a set of dimensions; false beyond the last attribute.
inline bool is_dim_set(const Case& c, std::size_t attribute) {
  const auto specs = overload_of(c).attributes;
  return attribute < specs.size() && specs[attribute].type == AttributeType::kDims;
}
/// How many dimensions attribute `a`, which is_dim(), can name.
inline int nameable_dims(const Case& c, std::size_t a) {
  const auto of = static_cast<std::size_t>(operator_of(c).dim_operand);
  return nameable_dims(overload_of(c).attributes[a].type, rank(c.operands[of].shape));
}
/// The spec of operand k of a case, `out` included.
const OperandSpec& spec_of(const Case& c, int operand);
/// Whether operand k of a case is no tensor but a number, passed by value.
inline bool is_number(const Case& c, int operand) {
  return spec_of(c, operand).role == Role::kScalar;
}
/// Whether the overload's last operand is a list of index tensors, masks and gaps.
bool lists_indices(const Overload& overload);
/// Whether the overload's last operand is a list of values.
bool lists_values(const Overload& overload);
/// "self", "indices[1]", "out".
std::string operand_name(const Case& c, int operand);
/// The form that a case calls, or that of another variant; null if the overload lacks the variant.
const Form* form_of(const Case& c);
const Form* find_form(const Overload& overload, Variant variant);

/// How many operators can be registered, and how many overloads each may have.
inline constexpr std::size_t kMaxOperators = 128, kMaxOverloads = 32;
/// Puts an operator's row into `operators()`: one static object in each operator's file.
struct RegisterOperator {
  explicit RegisterOperator(const OperatorInfo& info);
};

/// Turns any case into a legal one under the limits. Clears the fields that only illegal rules set.
/// Idempotent without a contract; with one, the case is brought into it in at most a few steps, and
/// keeps() tells whether that succeeded.
void repair(Case& c, const Limits& limits);

/// Makes a legal case break the rule that it names, in place; true and unchanged if it names none.
/// False if the rule does not apply to it or would need more memory than an operand may have; the
/// case is then in an unspecified state.
bool apply_rule(Case& c);
/// The rule that a case names; null if it names none, or one that its operator lacks.
const IllegalRule* rule_of(const Case& c);
/// Whether only its operands' values make `applied`, a case after apply_rule(), illegal. On a GPU
/// the kernel itself finds that out, and can only answer with an assertion, which ends the
/// process's context.
bool is_illegal_by_value(const Case& applied);
/// As is_illegal_by_value(), for a case as it was drawn; false if its rule does not apply.
bool ends_gpu_context(Case c);

/// Writes the fill of operand k, dense, in logical row-major order, into numel × item_size bytes.
void write_fill(const Case& c, int operand, std::byte* destination);

}  // namespace indexfuzz
