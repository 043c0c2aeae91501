#include "draw/neighbours.h"

#include <optional>

#include "draw/mutate_operand.h"
#include "ops/repair/repair.h"

namespace indexfuzz {
namespace {

/// Indices have two dtypes, and so do masks.
constexpr std::uint32_t kSelectors = 2;
constexpr std::uint32_t kDtypeNeighbours = kSelectors * kDtypeCount;

/// Changes the dtype of all value operands that have the dtype of the first one.
void set_value_dtype(Case& c, Dtype dtype) {
  std::optional<Dtype> shared;
  for (int k = 0; k < input_count(c); ++k) {
    Operand& operand = operand_at(c, k);
    const Role role = spec_of(c, k).role;
    if (role != Role::kValue && role != Role::kZeroOrNot) continue;
    if (!shared) shared = operand.dtype;
    if (operand.dtype == *shared) operand.dtype = dtype;
  }
}

void set_selector_dtypes(Case& c, Dtype index, Dtype mask) {
  for (int k = 0; k < input_count(c); ++k) {
    Operand& operand = operand_at(c, k);
    const Role role = spec_of(c, k).role;
    if (!operand.present || role == Role::kValue || role == Role::kZeroOrNot) continue;
    switch (family(operand.fill.kind)) {
      case FillFamily::kIndex: operand.dtype = index; break;
      case FillFamily::kMask: operand.dtype = mask; break;
      case FillFamily::kValue: break;
    }
  }
}

/// How many values a flag or a mode has; 0 for numbers.
std::uint32_t value_count(const AttributeSpec& attribute) {
  if (attribute.type == AttributeType::kBool) return 2;
  return is_choice(attribute.type) ? static_cast<std::uint32_t>(attribute.choices.size()) : 0;
}

/// Makes the n-th of all values of all flags and modes; false if there are no more than n.
bool set_mode(Case& c, std::uint32_t n) {
  const auto attributes = overload_of(c).attributes;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    const std::uint32_t count = value_count(attributes[a]);
    if (n < count) {
      c.attributes[a] = n;
      return true;
    }
    n -= count;
  }
  return false;
}

}  // namespace

bool neighbour(const Case& c, std::span<const Target> targets, const Limits& limits,
               std::uint32_t n, Case& out) {
  if (c.breaks != 0) return false;
  const auto forms = static_cast<std::uint32_t>(targets.size());
  out = c;
  if (n < kDtypeNeighbours) {
    const auto dtype = static_cast<Dtype>(n / kSelectors);
    if (contains(limits.dtypes, dtype)) set_value_dtype(out, dtype);
    const bool usual = n % kSelectors == 0;
    set_selector_dtypes(out, usual ? Dtype::kInt64 : Dtype::kInt32,
                        usual ? Dtype::kBool : Dtype::kUInt8);
  } else if (n - kDtypeNeighbours >= forms) {
    if (!set_mode(out, n - kDtypeNeighbours - forms)) return false;
  } else if (const Target& target = targets[n - kDtypeNeighbours]; target.op == c.op) {
    Choices choices(n);
    become(choices, target, limits, out);
  }
  repair(out, limits);
  return true;
}

}  // namespace indexfuzz
