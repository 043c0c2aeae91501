// stack(tensors, dim): the tensors, all of one shape, side by side along a new dimension.
// https://pytorch.org/docs/stable/generated/torch.stack.html
//
// Agreement: exact for every dtype, since elements are only moved, and the entries are drawn so
// that the dtype to which they promote holds them exactly or all implementations round them alike.
// So does the dtype of an out that differs, to which the result can be cast (torch.can_cast).
//
// Left out: no tensors at all.

#include <algorithm>

#include "ops/families/value_list.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/illegal/chance.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kDim = 0;

constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kNewDim}};
constexpr Form kForms[] = {
    {Variant::kFunctional, "stack", "", "torch.stack({tensors}, {dim})",
     "at::stack({tensors}, {dim})"},
    {Variant::kOut, "stack", "out", "torch.stack({tensors}, {dim}, out={out})",
     "at::stack_out({out}, {tensors}, {dim})"},
};
constexpr Overload kOverloads[] = {{"", kValueList, kAttributes, kValueListParameters, kForms}};

/// The new dimension's place in the result.
std::size_t dim_of(const Case& c) {
  const int result_rank = rank(c.operands[0].shape) + 1;
  return static_cast<std::size_t>(wrapped_dim(c.attributes[kDim], result_rank));
}

ResultSpec result(const Case& c) {
  Dims shape = c.operands[0].shape;
  const auto dim = static_cast<std::ptrdiff_t>(std::min(dim_of(c), shape.size()));
  shape.insert(shape.begin() + dim, input_count(c));
  return {shape, joined_dtype(c)};
}

void repair_stack(Case& c, const Limits& limits) {
  Limits of_entry = limits;
  of_entry.max_list_entries =
      static_cast<int>(std::min<std::int64_t>(limits.max_list_entries, limits.max_elements));
  of_entry.max_elements = limits.max_elements / std::min(input_count(c), of_entry.max_list_entries);
  fit_entries(c, of_entry, std::max(limits.max_rank - 1, 0));
  for (Operand& entry : entries_of(c)) entry.shape = c.operands[0].shape;
  clamp_dim(c.attributes[kDim], rank(c.operands[0].shape) + 1);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Dims& shape = input.c.operands[0].shape;
  std::int64_t before = 1;
  for (std::size_t d = 0; d < dim_of(input.c); ++d) before *= shape[d];
  interleave_entries(input, before, destination);
}

/// An entry other than the first; -1 if there is none.
int choose_follower(const Case& c) {
  return choose_entry(c, [](const Case&, int k) { return k > 0; });
}

bool change_size(Case& c) {
  const int k = choose_follower(c);
  if (k < 0 || c.operands[0].shape.empty()) return false;
  Operand& entry = operand_at(c, k);
  const std::size_t d = chance_of(c) / 16 % entry.shape.size();
  resize_dimension(entry, d, another_size(entry.shape[d]));
  return true;
}

constexpr IllegalRule kRules[] = {
    {1, "dim_above", dim_above},
    {2, "dim_below", dim_below},
    {3, "rank_higher",
     [](Case& c) {
       const int k = choose_follower(c);
       return k >= 0 && add_dimension(c, k, rank(c.operands[0].shape) + 1);
     }},
    {4, "rank_lower",
     [](Case& c) {
       const int k = choose_follower(c);
       return k >= 0 && remove_dimension(c, k, 1);
     }},
    {5, "size", change_size},
    {6, "no_promotion", entry_dtype},
    {7, "out_dtype", uncastable_out},
    {8, "out_overlaps_itself", overlap_written},
    {9, "out_is_entry", out_is_entry},
};

const OperatorInfo kInfo{
    .number = 33,
    .name = "stack",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_stack,
    .result = result,
    .cast_to = [](const Case& c, int) { return joined_dtype(c); },
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
    .takes_sparse = true,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
