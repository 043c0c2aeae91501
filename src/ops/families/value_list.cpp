#include "ops/families/value_list.h"

#include <algorithm>
#include <vector>

#include "ops/families/moves.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/chance.h"
#include "ops/numbers/promotion.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

bool any_entry(const Operand&) {
  return true;
}

/// Whether a result may be written to an `out` of another dtype, as torch.can_cast says.
bool can_cast(Dtype from, Dtype to) {
  return info(from).family <= info(to).family;
}

/// The dtype to which those entries promote that `takes_part` names, the first one if it names
/// none; nullopt if they do not promote.
std::optional<Dtype> promoted(std::span<const Operand> entries,
                              bool (*takes_part)(const Operand&) = any_entry) {
  const auto first = std::ranges::find_if(entries, takes_part);
  if (first == entries.end()) return entries.front().dtype;
  std::optional<Dtype> dtype = first->dtype;
  for (auto entry = first + 1; entry != entries.end(); ++entry) {
    if (dtype && takes_part(*entry)) dtype = promote(*dtype, entry->dtype);
  }
  return dtype;
}

}  // namespace

std::span<Operand> entries_of(Case& c) {
  return {c.operands.data(), static_cast<std::size_t>(input_count(c))};
}

std::span<const Operand> entries_of(const Case& c) {
  return {c.operands.data(), static_cast<std::size_t>(input_count(c))};
}

Dtype entries_dtype(const Case& c) {
  return promoted(entries_of(c)).value_or(c.operands[0].dtype);
}

Dtype joined_dtype(const Case& c) {
  const Dtype dtype = entries_dtype(c);
  if (c.variant != Variant::kOut) return dtype;
  const Dtype out = c.operands.back().dtype;
  const bool are_alike = std::ranges::all_of(
      entries_of(c), [dtype](const Operand& entry) { return entry.dtype == dtype; });
  return are_alike && can_cast(dtype, out) ? out : dtype;
}

bool all_entries_promote_as(const Case& c, bool (*takes_part)(const Operand&)) {
  return promoted(entries_of(c), takes_part) == promoted(entries_of(c));
}

void fit_entries(Case& c, const Limits& limits, int max_rank) {
  const int count = std::min(input_count(c), limits.max_list_entries);
  c.operands.erase(c.operands.begin() + count, c.operands.begin() + input_count(c));
  for (Operand& entry : entries_of(c)) {
    clamp_dtype(entry.dtype, limits.dtypes);
    clamp_shape(entry.shape, max_rank, limits.max_elements);
    clamp_fill(entry.fill, FillFamily::kValue);
  }
  const std::optional<Dtype> dtype = promoted(entries_of(c));
  if (!dtype || !contains(limits.dtypes, *dtype)) {
    for (Operand& entry : entries_of(c)) entry.dtype = c.operands[0].dtype;
  }
  if (!contains(limits.dtypes, joined_dtype(c))) c.operands.back().dtype = entries_dtype(c);
}

void interleave_entries(const OracleInput& input, std::int64_t before, std::byte* destination) {
  static thread_local std::vector<std::byte> converted;
  if (before == 0) return;  // no entry has elements
  const Dtype to = joined_dtype(input.c);
  std::int64_t stride = 0;  // between the runs of one entry
  for (const Operand& entry : entries_of(input.c)) stride += numel(entry.shape) / before;
  std::int64_t first = 0;  // of the entry, among the elements that follow one another
  for (int k = 0; k < input_count(input.c); ++k) {
    const std::int64_t count = input.operands[static_cast<std::size_t>(k)].count;
    if (count == 0) continue;
    const std::int64_t run = count / before;
    move_elements(to, destination, elements_as(to, input, k, converted),
                  [&](auto* result, const auto* from) {
                    for (std::int64_t i = 0; i < before; ++i)
                      copy_run(from + i * run, run, result + i * stride + first);
                  });
    first += run;
  }
}

bool entry_dtype(Case& c) {
  return entry_dtype(c, any_entry);
}

bool entry_dtype(Case& c, bool (*takes_part)(const Operand&)) {
  if (input_count(c) < 2) return false;
  for (const Dtype dtype : {Dtype::kFloat8E5M2, Dtype::kFloat8E4M3FN, Dtype::kUInt16}) {
    Case broken = c;
    if (!change_dtype(broken, input_count(c) - 1, dtype)) continue;
    if (promoted(entries_of(broken), takes_part)) continue;
    c = broken;
    return true;
  }
  return false;
}

bool uncastable_out(Case& c) {
  if (c.variant != Variant::kOut) return false;
  const int out = written_operand(c);
  switch (info(entries_dtype(c)).family) {
    case DtypeFamily::kBool: return false;
    case DtypeFamily::kInteger: return change_dtype(c, out, Dtype::kBool);
    case DtypeFamily::kFloating: return change_dtype(c, out, Dtype::kInt64);
    case DtypeFamily::kComplex: return change_dtype(c, out, Dtype::kFloat);
  }
  return false;
}

bool out_is_entry(Case& c) {
  if (c.variant != Variant::kOut) return false;
  const int entry = choose_entry(c, [](const Case& of, int k) {
    return numel(of.operands[static_cast<std::size_t>(k)].shape) > 0;
  });
  return entry >= 0 && share_memory(c, entry);
}

int choose_entry(const Case& c, bool (*is_one)(const Case& c, int entry)) {
  std::vector<int> those;
  for (int k = 0; k < input_count(c); ++k) {
    if (is_one(c, k)) those.push_back(k);
  }
  return those.empty() ? -1 : those[chance_of(c) % those.size()];
}

}  // namespace indexfuzz
