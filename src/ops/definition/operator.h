#pragma once
// An operator is a row of data and a few free functions, all in one file src/ops/<operator>.cpp.
// Everything else of indexfuzz works from these rows.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "case/case.h"
#include "case/limits.h"
#include "ops/definition/attribute.h"
#include "ops/definition/illegal_rule.h"
#include "ops/definition/schema.h"

namespace indexfuzz {

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
  /// If several contributions meet in an element, any one of them may win: writes, or elements that
  /// are equal or the largest. Of a complex number a custom kernel may store each part by itself:
  /// to a GPU a vector is several stores, in no order (PTX ISA, memory consistency model, vector
  /// data-types).
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
/// OperatorInfo::agreement of an operator whose cases all have the same one.
template <Agreement kAgreement>
Agreement always(const Case&) {
  return kAgreement;
}

/// Which derivatives PyTorch implements of calls that are linear in their operands. Each of these
/// computes such a call by other code, and is tested as another implementation of it.
enum class Derivatives : std::uint8_t {
  kNone,      ///< nothing; or no call is linear, or has an operand that can be differentiated
  kBackward,  ///< the gradient
  kAll,       ///< the gradient of the gradient and forward mode, too
};

/// For kAnyContributor a value that an element of the result may have; for kMean a term of the
/// element's mean.
struct Contribution {
  std::int64_t element;
  const std::byte* value;
};
using ContributionSink = void (*)(void* context, Contribution);

/// An operand of which a call reads and writes only the slices along dimension 0 that an index
/// operand names.
struct TableUse {
  int table = -1, index = -1;  ///< -1: there is none
};

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
  /// For index operands of which an element may not hold every index below the bound: changes the
  /// indices that the fill has written, dense, to ones that it may. Null: each element may hold
  /// all.
  void (*confine_indices)(const Case&, int operand, std::byte* indices) = nullptr;
  /// The operand that may be the end of a larger one: ops/fills/table.h. Null: none.
  TableUse (*table)(const Case&) = nullptr;
  /// Whether index operands may hold negative indices.
  bool wraps_negative_indices = false;
  /// The dtype to which the call converts an operand's elements. They are drawn so that the
  /// conversion is exact or rounds in only one way. Null: no operand is converted.
  Dtype (*cast_to)(const Case&, int operand) = nullptr;
  /// Writes the dense result, numel(result.shape) elements, for a legal case.
  void (*oracle)(const OracleInput&, std::byte* result);
  Agreement (*agreement)(const Case&);
  /// For sums and products: the most times that an element of the operand takes part. Null: once.
  std::int64_t (*uses)(const Case&, int operand) = nullptr;
  /// For sums: the most elements of the operand that meet in one sum, each counted as often as it
  /// takes part. Null: all of them.
  std::int64_t (*terms)(const Case&, int operand) = nullptr;
  /// Cases that only ATen is called with: legal ones that a custom kernel may reasonably interpret
  /// differently or refuse, and illegal ones in which ATen itself overruns its memory. Null: none.
  bool (*aten_only)(const Case&) = nullptr;
  /// Whether the writer that wins may change from call to call under deterministic algorithms, too.
  bool may_change = false;
  /// Only for kAnyContributor and kMean.
  void (*contributions)(const OracleInput&, ContributionSink, void* context) = nullptr;
  /// Why any contribution is right; for kAnyContributor.
  std::string_view why_several = "Where several writes meet, any one of them may win";
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
/// "self", "indices[1]", "out".
std::string operand_name(const Case& c, int operand);
/// The form that a case calls; null if its overload lacks the variant.
const Form* form_of(const Case& c);

/// How many operators can be registered, and how many overloads each may have.
inline constexpr std::size_t kMaxOperators = 128, kMaxOverloads = 32;
/// Puts an operator's row into `operators()`: one static object in each operator's file.
struct RegisterOperator {
  explicit RegisterOperator(const OperatorInfo& info);
};

}  // namespace indexfuzz
