// bucketize(self, boundaries, out_int32, right): for each value of self its place among boundaries,
// as boundaries.h says. https://pytorch.org/docs/stable/generated/torch.bucketize.html
//
// Agreement: exact. Boundaries are one row; self has any shape.

#include "ops/definition/operator.h"
#include "ops/families/boundaries.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"

namespace indexfuzz {
namespace {

constexpr int kBoundaries = 1, kSelf = 0;
constexpr Searched kSearched{.boundaries = kBoundaries, .values = kSelf};

constexpr OperandSpec kTensorOperands[] = {
    {"self", Role::kValue}, {.name = "boundaries", .role = Role::kValue, .any_shape = true}};
constexpr OperandSpec kNumberOperands[] = {
    {"self", Role::kScalar}, {.name = "boundaries", .role = Role::kValue, .any_shape = true}};
constexpr auto kAttributes = std::span(kBoundaryAttributes).first(boundary::kSide);
constexpr Parameter kParameters[] = {operand(0), operand(1), attribute(boundary::kOutInt32),
                                     attribute(boundary::kRight)};
constexpr Form functional(std::string_view overload) {
  return {Variant::kFunctional, "bucketize", overload,
          "torch.bucketize({self}, {boundaries}, out_int32={out_int32}, right={right})",
          "at::bucketize({self}, {boundaries}, {out_int32}, {right})"};
}
constexpr Form kTensorForms[] = {
    functional("Tensor"),
    {Variant::kOut, "bucketize", "Tensor_out",
     "torch.bucketize({self}, {boundaries}, out_int32={out_int32}, right={right}, out={out})",
     "at::bucketize_out({out}, {self}, {boundaries}, {out_int32}, {right})"}};
constexpr Form kNumberForms[] = {
    functional("Scalar"),
    {Variant::kOut, "bucketize", "Scalar_out",
     "torch.ops.aten.bucketize.Scalar_out({self}, {boundaries}, out_int32={out_int32}, "
     "right={right}, "
     "out={out})",
     "at::bucketize_out({out}, {self}, {boundaries}, {out_int32}, {right})"}};
constexpr Overload kOverloads[] = {
    {"Tensor", kTensorOperands, kAttributes, kParameters, kTensorForms},
    {"Scalar", kNumberOperands, kAttributes, kParameters, kNumberForms}};

ResultSpec result(const Case& c) {
  return searched_result(c, kSearched);
}

void repair_bucketize(Case& c, const Limits& limits) {
  repair_searched(c, limits, kSearched, false);
}

void oracle(const OracleInput& input, std::byte* destination) {
  write_places(input, kSearched, destination);
}

constexpr IllegalRule kRules[] = {
    {1, "boundaries_rank", [](Case& c) { return add_dimension(c, kBoundaries, 2); }},
    {2, "boundaries_rank_lower", [](Case& c) { return make_number_of_boundaries(c, kBoundaries); }},
    {3, "out_dtype", change_out_dtype},
    {4, "out_overlaps_itself", overlap_written},
    // ATen does not look, nor does a kernel that hands its operands on to ATen.
    {5, "out_is_boundaries", [](Case& c) { return share_memory(c, kBoundaries); }, kATenOnly},
    {6, "out_is_self", [](Case& c) { return c.overload == 0 && share_memory(c, kSelf); },
     kATenOnly},
};

const OperatorInfo kInfo{
    .number = 29,
    .name = "bucketize",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_bucketize,
    .result = result,
    .cast_to = [](const Case& c, int) { return searched_dtype(c, kSearched); },
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
    .aten_only = [](const Case& c) { return may_exceed_boundaries(c, kSearched); },
    .derivatives = Derivatives::kNone,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
