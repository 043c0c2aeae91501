// searchsorted(sorted_sequence, self, out_int32, right, side, sorter): for each value of self its
// place in sorted_sequence, as boundaries.h says; row by row, if sorted_sequence has several rows.
// https://pytorch.org/docs/stable/generated/torch.searchsorted.html
//
// Agreement: exact. Self has, but for its last size, sorted_sequence's shape, or any shape if
// sorted_sequence is one row. `side` is another word for `right`, which must not contradict it. Of
// a sorter that names an element twice nothing is documented; side and sorter are not given
// together.

#include "ops/definition/operator.h"
#include "ops/families/boundaries.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/break_values.h"

namespace indexfuzz {
namespace {

constexpr int kSequence = 0, kSelf = 1, kSorter = 2;

constexpr OperandSpec kTensorOperands[] = {
    {"sorted_sequence", Role::kValue},
    {.name = "self", .role = Role::kValue, .any_shape = true},
    {"sorter", Role::kIndex}};
constexpr OperandSpec kNumberOperands[] = {
    {"sorted_sequence", Role::kValue}, {"self", Role::kScalar}, {"sorter", Role::kIndex}};
constexpr auto kAttributes = std::span(kBoundaryAttributes).first(boundary::kSide);

constexpr Parameter kParameters[] = {operand(kSequence), operand(kSelf),
                                     attribute(boundary::kOutInt32), attribute(boundary::kRight)};
constexpr Parameter kSideParameters[] = {operand(kSequence), operand(kSelf),
                                         attribute(boundary::kOutInt32),
                                         attribute(boundary::kRight), attribute(boundary::kSide)};
constexpr Parameter kSorterParameters[] = {operand(kSequence), operand(kSelf),
                                           attribute(boundary::kOutInt32),
                                           attribute(boundary::kRight), operand(kSorter)};

constexpr Form functional(std::string_view overload, std::string_view python,
                          std::string_view cpp) {
  return {Variant::kFunctional, "searchsorted", overload, python, cpp};
}
constexpr Form out(std::string_view overload, std::string_view python, std::string_view cpp) {
  return {Variant::kOut, "searchsorted", overload, python, cpp};
}

// A function of torch takes numbers as well as tensors, but not together with `out`.
constexpr std::string_view
    kPython = "torch.searchsorted({sorted_sequence}, {self}, out_int32={out_int32}, right={right})",
    kCpp = "at::searchsorted({sorted_sequence}, {self}, {out_int32}, {right})",
    kCppOut = "at::searchsorted_out({out}, {sorted_sequence}, {self}, {out_int32}, {right})",
    kPythonSide =
        "torch.searchsorted({sorted_sequence}, {self}, out_int32={out_int32}, right={right}, "
        "side={side})",
    kCppSide = "at::searchsorted({sorted_sequence}, {self}, {out_int32}, {right}, {side})",
    kCppSideOut =
        "at::searchsorted_out({out}, {sorted_sequence}, {self}, {out_int32}, {right}, {side})",
    kPythonSorter =
        "torch.searchsorted({sorted_sequence}, {self}, out_int32={out_int32}, right={right}, "
        "sorter={sorter})",
    kCppSorter =
        "at::searchsorted({sorted_sequence}, {self}, {out_int32}, {right}, std::nullopt, {sorter})",
    kCppSorterOut =
        "at::searchsorted_out({out}, {sorted_sequence}, {self}, {out_int32}, {right}, "
        "std::nullopt, {sorter})";
constexpr Form kTensorForms[] = {
    functional("Tensor", kPython, kCpp),
    out("Tensor_out",
        "torch.searchsorted({sorted_sequence}, {self}, out_int32={out_int32}, right={right}, "
        "out={out})",
        kCppOut)};
constexpr Form kTensorSideForms[] = {
    functional("Tensor", kPythonSide, kCppSide),
    out("Tensor_out",
        "torch.searchsorted({sorted_sequence}, {self}, out_int32={out_int32}, right={right}, "
        "side={side}, out={out})",
        kCppSideOut)};
constexpr Form kTensorSorterForms[] = {
    functional("Tensor", kPythonSorter, kCppSorter),
    out("Tensor_out",
        "torch.searchsorted({sorted_sequence}, {self}, out_int32={out_int32}, right={right}, "
        "sorter={sorter}, out={out})",
        kCppSorterOut)};
constexpr Form kNumberForms[] = {
    functional("Scalar", kPython, kCpp),
    out("Scalar_out",
        "torch.ops.aten.searchsorted.Scalar_out({sorted_sequence}, {self}, out_int32={out_int32}, "
        "right={right}, out={out})",
        kCppOut)};
constexpr Form kNumberSideForms[] = {
    functional("Scalar", kPythonSide, kCppSide),
    out("Scalar_out",
        "torch.ops.aten.searchsorted.Scalar_out({sorted_sequence}, {self}, out_int32={out_int32}, "
        "right={right}, side={side}, out={out})",
        kCppSideOut)};
constexpr Form kNumberSorterForms[] = {
    functional("Scalar", kPythonSorter, kCppSorter),
    out("Scalar_out",
        "torch.ops.aten.searchsorted.Scalar_out({sorted_sequence}, {self}, out_int32={out_int32}, "
        "right={right}, sorter={sorter}, out={out})",
        kCppSorterOut)};

constexpr auto kTwoTensors = std::span(kTensorOperands).first(kSorter);
constexpr auto kTensorAndNumber = std::span(kNumberOperands).first(kSorter);
constexpr Overload kOverloads[] = {
    {"Tensor", kTwoTensors, kAttributes, kParameters, kTensorForms},
    {"Scalar", kTensorAndNumber, kAttributes, kParameters, kNumberForms},
    {"Tensor_side", kTwoTensors, kBoundaryAttributes, kSideParameters, kTensorSideForms},
    {"Scalar_side", kTensorAndNumber, kBoundaryAttributes, kSideParameters, kNumberSideForms},
    {"Tensor_sorter", kTensorOperands, kAttributes, kSorterParameters, kTensorSorterForms},
    {"Scalar_sorter", kNumberOperands, kAttributes, kSorterParameters, kNumberSorterForms}};

bool has_sorter(const Case& c) {
  return overload_of(c).operands.size() > kSorter;
}

Searched searched(const Case& c) {
  return {.boundaries = kSequence, .values = kSelf, .sorter = has_sorter(c) ? kSorter : -1};
}

ResultSpec result(const Case& c) {
  return searched_result(c, searched(c));
}

void repair_searchsorted(Case& c, const Limits& limits) {
  repair_searched(c, limits, searched(c), true);
}

void oracle(const OracleInput& input, std::byte* destination) {
  write_places(input, searched(input.c), destination);
}

std::int64_t sorter_bound(const Case& c, int) {
  return c.operands[kSequence].shape.empty() ? 0 : c.operands[kSequence].shape.back();
}

/// An illegal rule: one element of the sorter is beyond an end of its row.
template <End kEnd>
bool sorter_beyond(Case& c) {
  if (!has_sorter(c)) return false;
  return poke_index(c, kSorter, kEnd == End::kAbove ? sorter_bound(c, kSorter) : -1);
}

/// Whether the call has neither a side nor a sorter. What the others share with it is tested once.
bool is_plain(const Case& c) {
  return !has_side(c) && !has_sorter(c);
}
bool has_rows(const Case& c) {
  return rank(c.operands[kSequence].shape) > 1;
}

constexpr IllegalRule kRules[] = {
    {1, "sequence_rank",
     [](Case& c) { return is_plain(c) && make_number_of_boundaries(c, kSequence); }},
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
    {7, "out_is_sequence", [](Case& c) { return is_plain(c) && share_memory(c, kSequence); },
     kATenOnly},
    {8, "out_is_self", [](Case& c) { return c.overload == 0 && share_memory(c, kSelf); },
     kATenOnly},
    {9, "sorter_above", sorter_beyond<End::kAbove>},
    {10, "sorter_below", sorter_beyond<End::kBelow>},
    {11, "sorter_dtype",
     [](Case& c) { return has_sorter(c) && change_dtype(c, kSorter, Dtype::kInt32); }, kATenOnly},
    {12, "sorter_shape",
     [](Case& c) {
       if (!has_sorter(c)) return false;
       Operand& sorter = c.operands[kSorter];
       const std::size_t last = sorter.shape.size() - 1;
       resize_dimension(sorter, last, another_size(sorter.shape[last]));
       return true;
     }},
    {13, "side_opposes_right",
     [](Case& c) {
       if (!has_side(c)) return false;
       c.attributes[boundary::kRight] = 1;
       c.attributes[boundary::kSide] = 0;
       return true;
     },
     kATenOnly},
    {14, "side_unknown", [](Case& c) { return has_side(c) && choose_unknown(c, boundary::kSide); }},
};

const OperatorInfo kInfo{
    .number = 28,
    .name = "searchsorted",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_searchsorted,
    .result = result,
    .index_bound = sorter_bound,
    .cast_to = [](const Case& c, int) { return searched_dtype(c, searched(c)); },
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
    .aten_only = [](const Case& c) { return may_exceed_boundaries(c, searched(c)); },
    .derivatives = Derivatives::kNone,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
