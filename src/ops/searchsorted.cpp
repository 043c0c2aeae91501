// searchsorted(sorted_sequence, self, out_int32, right): for each value of self its place in
// sorted_sequence, as boundaries.h says; row by row, if sorted_sequence has several rows.
// https://pytorch.org/docs/stable/generated/torch.searchsorted.html
//
// Agreement: exact. Self has, but for its last size, sorted_sequence's shape, or any shape if
// sorted_sequence is one row. Left out: `side`, another word for `right`, and `sorter`.

#include "ops/families/boundaries.h"
#include "ops/illegal.h"
#include "ops/operator.h"

namespace indexfuzz {
namespace {

constexpr int kSequence = 0, kSelf = 1;
constexpr Searched kSearched{.boundaries = kSequence, .values = kSelf};

constexpr OperandSpec kTensorOperands[] = {
    {"sorted_sequence", Role::kValue}, {.name = "self", .role = Role::kValue, .any_shape = true}};
constexpr OperandSpec kNumberOperands[] = {{"sorted_sequence", Role::kValue},
                                           {"self", Role::kScalar}};
constexpr Parameter kParameters[] = {{Parameter::Kind::kOperand, 0},
                                     {Parameter::Kind::kOperand, 1},
                                     {Parameter::Kind::kAttribute, 0},
                                     {Parameter::Kind::kAttribute, 1}};
constexpr Form functional(std::string_view overload) {
  return {Variant::kFunctional, "searchsorted", overload,
          "torch.searchsorted({sorted_sequence}, {self}, out_int32={out_int32}, right={right})",
          "at::searchsorted({sorted_sequence}, {self}, {out_int32}, {right})"};
}
constexpr Form kTensorForms[] = {
    functional("Tensor"),
    {Variant::kOut, "searchsorted", "Tensor_out",
     "torch.searchsorted({sorted_sequence}, {self}, out_int32={out_int32}, right={right}, "
     "out={out})",
     "at::searchsorted_out({out}, {sorted_sequence}, {self}, {out_int32}, {right})"}};
constexpr Form kNumberForms[] = {
    functional("Scalar"),
    {Variant::kOut, "searchsorted", "Scalar_out",
     "torch.ops.aten.searchsorted.Scalar_out({sorted_sequence}, {self}, out_int32={out_int32}, "
     "right={right}, "
     "out={out})",
     "at::searchsorted_out({out}, {sorted_sequence}, {self}, {out_int32}, {right})"}};
constexpr Overload kOverloads[] = {
    {"Tensor", kTensorOperands, kBoundaryAttributes, kParameters, kTensorForms},
    {"Scalar", kNumberOperands, kBoundaryAttributes, kParameters, kNumberForms}};

ResultSpec result(const Case& c) {
  return searched_result(c, kSearched);
}

void repair_searchsorted(Case& c, const Limits& limits) {
  repair_searched(c, limits, kSearched, true);
}

void oracle(const OracleInput& input, std::byte* destination) {
  write_places(input, kSearched, destination);
}

bool has_rows(const Case& c) {
  return rank(c.operands[kSequence].shape) > 1;
}

constexpr IllegalRule kRules[] = {
    {1, "sequence_rank", [](Case& c) { return make_number_of_boundaries(c, kSequence); }},
    {2, "rows_differ",
     [](Case& c) {
       if (!has_rows(c)) return false;
       Operand& self = c.operands[kSelf];
       resize_dimension(self, 0, another_size(self.shape[0]));
       return true;
     }},
    {3, "self_rank",
     [](Case& c) {
       return has_rows(c) && add_dimension(c, kSelf, rank(c.operands[kSelf].shape) + 1);
     }},
    {4, "self_rank_lower", [](Case& c) { return has_rows(c) && remove_dimension(c, kSelf, 1); }},
    {5, "out_dtype", change_out_dtype},
    {6, "out_overlaps_itself", overlap_written},
    // ATen does not look, nor does a kernel that hands its operands on to ATen.
    {7, "out_is_sequence", [](Case& c) { return share_memory(c, kSequence); }, !kByValue,
     kATenOnly},
    {8, "out_is_self", [](Case& c) { return c.overload == 0 && share_memory(c, kSelf); }, !kByValue,
     kATenOnly},
};

const OperatorInfo kInfo{
    .number = 28,
    .name = "searchsorted",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_searchsorted,
    .result = result,
    .cast_to = [](const Case& c, int) { return searched_dtype(c, kSearched); },
    .oracle = oracle,
    .agreement = [](const Case&) { return Agreement::kExact; },
    .aten_only = [](const Case& c) { return may_exceed_boundaries(c, kSearched); },
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
