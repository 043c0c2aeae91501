// cat(tensors, dim): the tensors one after the other along dim.
// https://pytorch.org/docs/stable/generated/torch.cat.html
//
// Agreement: exact for every dtype, since elements are only moved, and the entries are drawn so
// that the dtype to which they promote holds them exactly or all implementations round them alike.
// So does the dtype of an out that differs, to which the result can be cast (torch.can_cast).
// The entries have the same shape but along dim; a vector without elements, of shape (0), may stand
// among tensors of any other shape and counts for nothing. ATen does promote its dtype, of which
// nothing is documented.
//
// Left out: no tensors at all, and cat's synonyms, concat and concatenate.

#include <algorithm>

#include "ops/families/value_list.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kDim = 0;

constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kDim}};
constexpr Form kForms[] = {
    {Variant::kFunctional, "cat", "", "torch.cat({tensors}, {dim})", "at::cat({tensors}, {dim})"},
    {Variant::kOut, "cat", "out", "torch.cat({tensors}, {dim}, out={out})",
     "at::cat_out({out}, {tensors}, {dim})"},
};
constexpr Overload kOverloads[] = {{"", kValueList, kAttributes, kValueListParameters, kForms}};

bool counts(const Operand& entry) {
  return entry.shape != Dims{0};
}

/// The first entry that counts; the first one if none does.
int leader_of(const Case& c) {
  const auto entries = entries_of(c);
  const auto leader = std::ranges::find_if(entries, counts);
  return leader == entries.end() ? 0 : static_cast<int>(leader - entries.begin());
}

const Dims& leading_shape(const Case& c) {
  return operand_at(c, leader_of(c)).shape;
}

std::size_t dim_of(const Case& c) {
  return static_cast<std::size_t>(wrapped_dim(c.attributes[kDim], rank(leading_shape(c))));
}

ResultSpec result(const Case& c) {
  Dims shape = leading_shape(c);
  const std::size_t dim = dim_of(c);
  if (dim >= shape.size()) return {shape, joined_dtype(c)};
  shape[dim] = 0;
  for (const Operand& entry : entries_of(c)) {
    if (counts(entry)) shape[dim] += size_at(entry.shape, static_cast<int>(dim));
  }
  return {shape, joined_dtype(c)};
}

void repair_cat(Case& c, const Limits& limits) {
  fit_entries(c, limits, limits.max_rank);
  for (Operand& entry : entries_of(c)) {
    if (entry.shape.empty()) entry.shape = {1};
  }
  const Dims leading = leading_shape(c);
  clamp_dim(c.attributes[kDim], rank(leading));
  const std::size_t dim = dim_of(c);
  for (Operand& entry : entries_of(c)) {
    if (!counts(entry)) continue;
    set_rank(entry.shape, rank(leading));
    const std::int64_t size = entry.shape[dim];
    entry.shape = leading;
    entry.shape[dim] = size;
  }
  // This ends: the leading entry alone is within the limits.
  while (!is_within(result(c).shape, limits)) {
    const auto longest = std::ranges::max_element(entries_of(c), {}, [&](const Operand& entry) {
      return counts(entry) ? entry.shape[dim] : 0;
    });
    longest->shape[dim] /= 2;
  }
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Dims& leading = leading_shape(input.c);
  std::int64_t before = 1;
  for (std::size_t d = 0; d < dim_of(input.c); ++d) before *= leading[d];
  interleave_entries(input, before, destination);
}

/// An entry other than the leading one that counts; -1 if there is none.
int choose_follower(const Case& c) {
  return choose_entry(c, [](const Case& of, int k) {
    return k != leader_of(of) && counts(of.operands[static_cast<std::size_t>(k)]);
  });
}

bool change_rank(Case& c, int by) {
  const int k = choose_follower(c);
  if (k < 0) return false;
  if (by > 0) return add_dimension(c, k, rank(leading_shape(c)) + by);
  return remove_dimension(c, k, 1) && counts(operand_at(c, k));
}

bool change_size_beside_dim(Case& c) {
  const int k = choose_follower(c);
  if (k < 0 || rank(leading_shape(c)) < 2) return false;
  Operand& entry = operand_at(c, k);
  const std::size_t d = dim_of(c) == 0 ? entry.shape.size() - 1 : 0;
  resize_dimension(entry, d, another_size(entry.shape[d]));
  return true;
}

/// Gives two dimensions of an entry other sizes with the same product.
bool keep_product_beside_dim(Case& c) {
  const int k = choose_follower(c);
  if (k < 0) return false;
  Operand& entry = operand_at(c, k);
  for (std::size_t first = 0; first < entry.shape.size(); ++first) {
    for (std::size_t second = first + 1; second < entry.shape.size(); ++second) {
      const std::int64_t a = entry.shape[first], b = entry.shape[second];
      if (first == dim_of(c) || second == dim_of(c) || a * b < 2) continue;
      resize_dimension(entry, first, a == b ? 1 : b);
      resize_dimension(entry, second, a == b ? a * b : a);
      return true;
    }
  }
  return false;
}

/// Takes all dimensions of every entry away.
bool drop_all_dimensions(Case& c) {
  if (c.variant != Variant::kFunctional || !counts(c.operands[0])) return false;
  for (Operand& entry : entries_of(c)) {
    while (!entry.shape.empty()) drop_dimension(entry, 0);
  }
  c.attributes[kDim] = 0;
  return true;
}

constexpr IllegalRule kRules[] = {
    // ATen does not look at dim if nothing counts.
    {1, "dim_above", [](Case& c) { return counts(c.operands[0]) && dim_above(c); }},
    {2, "dim_below", [](Case& c) { return counts(c.operands[0]) && dim_below(c); }},
    {3, "rank_higher", [](Case& c) { return change_rank(c, 1); }},
    {4, "rank_lower", [](Case& c) { return change_rank(c, -1); }},
    {5, "size_beside_dim", change_size_beside_dim},
    {6, "no_promotion", [](Case& c) { return entry_dtype(c, counts); }},
    {7, "out_dtype", uncastable_out},
    {8, "out_overlaps_itself", overlap_written},
    {9, "out_is_entry", out_is_entry},
    {10, "sizes_of_one_product", keep_product_beside_dim},
    {11, "entries_of_rank_zero", drop_all_dimensions},
};

const OperatorInfo kInfo{
    .number = 32,
    .name = "cat",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_cat,
    .result = result,
    .cast_to = [](const Case& c, int) { return joined_dtype(c); },
    .oracle = oracle,
    .agreement = always<Agreement::kExact>,
    .aten_only = [](const Case& c) { return !all_entries_promote_as(c, counts); },
    .takes_sparse = true,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
