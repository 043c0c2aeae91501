// where(condition, self, other): self where condition is set, other elsewhere.
// https://pytorch.org/docs/stable/generated/torch.where.html
//
// Agreement: exact for every dtype, since self and other are drawn so that the dtype of the result
// (torch.result_type) holds them exactly or all implementations round them alike. The three
// operands broadcast together. The condition is bool, or uint8 (deprecated).
//
// There is no rule against an out that shares memory: ATen accepts one that is exactly an input,
// and so the in-place variant has self, or other, for out.
//
// Left out: where(condition) alone, which is nonzero as a tuple.

#include <vector>

#include "case/broadcast.h"
#include "case/walk.h"
#include "ops/definition/operator.h"
#include "ops/families/mask.h"
#include "ops/families/moves.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"
#include "ops/numbers/promotion.h"
#include "ops/repair/clamp.h"
#include "ops/repair/fit_broadcast.h"

namespace indexfuzz {
namespace {

// If one of the two values is a tensor, the first one is.
constexpr int kFirst = 0, kSecond = 1, kCondition = 2;
enum OverloadIndex : std::uint8_t { kTensors, kScalarSelf, kScalarOther, kScalars, kIntoOther };

constexpr OperandSpec kConditionSpec{.name = "condition", .role = Role::kMask, .broadcasts = true};
constexpr OperandSpec kTensorOperands[] = {
    {.name = "self", .role = Role::kValue, .on_host = OnHost::kZeroDim},
    {.name = "other", .role = Role::kValue, .broadcasts = true, .on_host = OnHost::kZeroDim},
    kConditionSpec};
constexpr OperandSpec kIntoOtherOperands[] = {
    {.name = "other", .role = Role::kValue},
    {.name = "self", .role = Role::kValue, .broadcasts = true, .on_host = OnHost::kZeroDim},
    kConditionSpec};
constexpr OperandSpec kScalarSelfOperands[] = {
    {.name = "other", .role = Role::kValue, .on_host = OnHost::kZeroDim},
    {"self", Role::kScalar},
    kConditionSpec};
constexpr OperandSpec kScalarOtherOperands[] = {
    {.name = "self", .role = Role::kValue, .on_host = OnHost::kZeroDim},
    {"other", Role::kScalar},
    kConditionSpec};
constexpr OperandSpec kScalarOperands[] = {
    {"self", Role::kScalar}, {"other", Role::kScalar}, kConditionSpec};
constexpr Parameter kParameters[] = {operand(kCondition), operand(kFirst), operand(kSecond)};
/// Of the overloads whose first operand is `other`.
constexpr Parameter kOtherFirstParameters[] = {operand(kCondition), operand(kSecond),
                                               operand(kFirst)};

constexpr Form functional(std::string_view overload) {
  return {Variant::kFunctional, "where", overload, "torch.where({condition}, {self}, {other})",
          "at::where({condition}, {self}, {other})"};
}
constexpr Form kTensorForms[] = {
    functional("self"),
    {Variant::kOut, "where", "self_out", "torch.where({condition}, {self}, {other}, out={out})",
     "at::where_out({out}, {condition}, {self}, {other})"},
    {Variant::kInPlace, "where", "self_out",
     "torch.where({condition}, {self}, {other}, out={self})",
     "at::where_out({self}, {condition}, {self}, {other})"}};
/// ATen has no where_(): in place, out is one of the two values.
constexpr Form kIntoOtherForms[] = {{Variant::kInPlace, "where", "self_out",
                                     "torch.where({condition}, {self}, {other}, out={other})",
                                     "at::where_out({other}, {condition}, {self}, {other})"}};
constexpr Form kScalarSelfForms[] = {functional("ScalarSelf")};
constexpr Form kScalarOtherForms[] = {functional("ScalarOther")};
constexpr Form kScalarForms[] = {functional("Scalar")};
constexpr Overload kOverloads[] = {
    {"self", kTensorOperands, {}, kParameters, kTensorForms},
    {"ScalarSelf", kScalarSelfOperands, {}, kOtherFirstParameters, kScalarSelfForms},
    {"ScalarOther", kScalarOtherOperands, {}, kParameters, kScalarOtherForms},
    {"Scalar", kScalarOperands, {}, kParameters, kScalarForms},
    {"into_other", kIntoOtherOperands, {}, kOtherFirstParameters, kIntoOtherForms}};

/// Which of the first two operands is `self`; the other one is `other`.
int self_of(const Case& c) {
  return c.overload == kScalarSelf || c.overload == kIntoOther ? kSecond : kFirst;
}

std::optional<Dtype> promoted(const Case& c) {
  const auto weighed = [&](int k) {
    const Operand& value = operand_at(c, k);
    return Weighed{value.dtype, is_number(c, k)       ? Weight::kNumber
                                : value.shape.empty() ? Weight::kZeroDim
                                                      : Weight::kDimensioned};
  };
  return result_type(weighed(kFirst), weighed(kSecond));
}

/// The shape that the two values broadcast to.
Dims values_shape(const Case& c) {
  return broadcast_shape(c.operands[kFirst].shape, c.operands[kSecond].shape);
}

/// A case that breaks the rule no_promotion has no result; its first value's dtype stands in.
Dtype result_dtype(const Case& c) {
  return promoted(c).value_or(c.operands[kFirst].dtype);
}

ResultSpec result(const Case& c) {
  return {broadcast_shape(values_shape(c), c.operands[kCondition].shape), result_dtype(c)};
}

/// A dtype for a number such that its promotion with a tensor of this dtype gives the tensor's.
Dtype number_like(Dtype dtype) {
  switch (info(dtype).family) {
    case DtypeFamily::kBool: return Dtype::kBool;
    case DtypeFamily::kInteger: return Dtype::kInt64;
    case DtypeFamily::kFloating: return Dtype::kDouble;
    case DtypeFamily::kComplex: return Dtype::kComplexDouble;
  }
  return dtype;
}

void repair_where(Case& c, const Limits& limits) {
  Operand& condition = c.operands[kCondition];
  const bool in_place = c.variant == Variant::kInPlace;
  const FillKind drawn[] = {c.operands[kFirst].fill.kind, c.operands[kSecond].fill.kind};
  for (const int k : {kFirst, kSecond}) {
    Operand& value = operand_at(c, k);
    if (is_number(c, k)) {
      clamp_scalar(value, Dtype::kComplexDouble);
      continue;
    }
    clamp_dtype(value.dtype, limits.dtypes);
    if (k == kFirst) {
      clamp_shape(value.shape, limits.max_rank, limits.max_elements);
    } else if (in_place) {
      fit_broadcast(value.shape, c.operands[kFirst].shape);
    } else {
      fit_broadcast_either_way(value.shape, c.operands[kFirst].shape, limits);
    }
    clamp_fill(value.fill, FillFamily::kValue);
  }
  clamp_dtype(condition.dtype, kMaskDtypes);
  if (is_number(c, kFirst)) {
    clamp_shape(condition.shape, limits.max_rank, limits.max_elements);
  } else if (in_place) {
    fit_broadcast(condition.shape, c.operands[kFirst].shape);
  } else {
    fit_broadcast_either_way(condition.shape, values_shape(c), limits);
  }
  settle_mask(condition, limits);
  // The dtype of the result depends on the shapes: 0-dimensional values count less.
  const std::optional<Dtype> dtype = promoted(c);
  const bool fits_first = !in_place || dtype == c.operands[kFirst].dtype;
  if (!dtype || !contains(limits.dtypes, *dtype) || !fits_first) {
    const Dtype first = c.operands[kFirst].dtype;
    c.operands[kSecond].dtype = is_number(c, kSecond) ? number_like(first) : first;
  }
  for (const int k : {kFirst, kSecond})
    if (is_number(c, k)) keep_wrapped(operand_at(c, k), drawn[k], result_dtype(c));
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  const ResultSpec to = result(c);
  const int self = self_of(c);
  const int other = kFirst + kSecond - self;
  const Dims strides[] = {broadcast_strides(c.operands[kFirst].shape, rank(to.shape)),
                          broadcast_strides(c.operands[kSecond].shape, rank(to.shape)),
                          broadcast_strides(c.operands[kCondition].shape, rank(to.shape))};
  static thread_local std::vector<std::byte> converted[2];
  const std::byte* values[] = {elements_as(to.dtype, input, kFirst, converted[kFirst]),
                               elements_as(to.dtype, input, kSecond, converted[kSecond])};
  const std::byte* const truths = input.operands[kCondition].data;
  with_elements(to.dtype, [&](auto element) {
    const auto* const ours = elements(element, values[self]);
    const auto* const theirs = elements(element, values[other]);
    for_each_element(
        to.shape,
        [&, result = elements(element, destination)](std::int64_t i, std::int64_t our,
                                                     std::int64_t their, std::int64_t truth) {
          result[i] = truths[truth] != std::byte{0} ? ours[our] : theirs[their];
        },
        strides[self], strides[other], strides[kCondition]);
  });
}

/// Makes a number that the result uses overflow the result's dtype; false if there is none.
bool overflow_value(Case& c) {
  const Operand& condition = c.operands[kCondition];
  const std::int64_t set = set_elements(condition);
  if (numel(result(c).shape) == 0) return false;
  const int self = self_of(c);
  for (const int k : {kFirst, kSecond}) {
    const bool is_used = k == self ? set > 0 : set < numel(condition.shape);
    if (!is_number(c, k) || !is_used) continue;
    Case broken = c;
    // A number of a higher category than the other value would change the result's dtype.
    if (!overflow_number(broken, k, result_dtype(c)) || promoted(broken) != promoted(c)) continue;
    c = broken;
    return true;
  }
  return false;
}

/// Gives the second value a dtype that does not promote with the first one's.
bool break_promotion(Case& c) {
  if (is_number(c, kSecond)) return false;
  for (const Dtype dtype : {Dtype::kFloat8E5M2, Dtype::kFloat8E4M3FN, Dtype::kUInt16}) {
    Case broken = c;
    if (!change_dtype(broken, kSecond, dtype) || promoted(broken)) continue;
    c = broken;
    return true;
  }
  return false;
}

constexpr IllegalRule kRules[] = {
    {1, "condition_dtype", [](Case& c) { return become_floating(c, kCondition); }},
    {2, "condition_shape",
     [](Case& c) { return mismatch_broadcast(c, kCondition, values_shape(c)); }},
    {3, "other_shape",
     [](Case& c) {
       return !is_number(c, kSecond) && mismatch_broadcast(c, kSecond, c.operands[kFirst].shape);
     }},
    {4, "no_promotion", break_promotion},
    {5, "out_dtype", change_out_dtype},
    {6, "out_overlaps_itself",
     [](Case& c) { return c.variant == Variant::kOut && overlap_written(c); }},
    {7, "condition_shape_in_front",
     [](Case& c) { return mismatch_broadcast_in_front(c, kCondition, values_shape(c)); }},
    {8, "other_shape_in_front",
     [](Case& c) {
       return !is_number(c, kSecond) &&
              mismatch_broadcast_in_front(c, kSecond, c.operands[kFirst].shape);
     }},
    {9, "value_overflows", overflow_value, kATenOnly},
};

const OperatorInfo kInfo{
    .number = 8,
    .name = "where",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_where,
    .result = result,
    .cast_to =
        [](const Case& c, int operand) {
          return operand == kCondition ? c.operands[kCondition].dtype : result_dtype(c);
        },
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
