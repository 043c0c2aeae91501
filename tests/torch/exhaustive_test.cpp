// Every operator, overload and variant over all cases of rank ≤ 2 (where that is too low, of two
// matrices) and sizes ≤ 2 with at most one layout trait over all operands, float32 with int64
// indices, run through PyTorch on the CPU in this process and judged. Exhaustive before random.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "../written_case.h"
#include "case/dim_set.h"
#include "judge/judge.h"
#include "known_small_failures.h"
#include "ops/repair/repair.h"
#include "run/call/executor.h"
#include "run/call/implementation.h"
#include "run/watch/guarded_allocator.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

using Sink = std::function<void(const Case&)>;

const std::vector<Dims>& shapes() {
  static const std::vector<Dims> list = [] {
    std::vector<Dims> all{{}};
    for (std::int64_t a = 0; a <= 2; ++a) {
      all.push_back({a});
      for (std::int64_t b = 0; b <= 2; ++b) all.push_back({a, b});
    }
    return all;
  }();
  return list;
}

/// The matrices among shapes(), two of them along each dimension before, for operators that take no
/// lower rank.
template <int kRank>
const std::vector<Dims>& stacks_of_matrices() {
  static const std::vector<Dims> list = [] {
    std::vector<Dims> all;
    for (Dims shape : shapes()) {
      if (rank(shape) != 2) continue;
      shape.insert(shape.begin(), kRank - 2, 2);
      all.push_back(shape);
    }
    return all;
  }();
  return list;
}

const std::vector<Dims>& shapes_for(const Case& c) {
  const std::string_view name = operator_of(c).name;
  if (name == "constant_pad_nd")
    return overload_of(c).name == "three" ? stacks_of_matrices<3>() : shapes();
  const bool takes_planes =
      name.find("pool") != name.npos || name.find("_pad") != name.npos || name == "im2col";
  if (!takes_planes) return shapes();
  return operator_of(c).least_rank <= 3 ? stacks_of_matrices<3>() : stacks_of_matrices<4>();
}

Operand operand(Dtype dtype, const Dims& shape, FillKind fill) {
  Operand result;
  result.dtype = dtype;
  result.shape = shape;
  result.layout = contiguous_layout(rank(shape));
  result.fill.kind = fill;
  return result;
}

/// A mask of every popcount.
void append_masks(std::vector<Operand>& list, Dtype dtype, const Dims& shape) {
  for (std::int64_t popcount = 0; popcount <= numel(shape); ++popcount) {
    list.push_back(operand(dtype, shape, FillKind::kMaskBack));
    list.back().fill.popcount = static_cast<std::uint32_t>(popcount);
  }
}

void append_negatives(std::vector<Operand>& list, const Dims& shape) {
  list.push_back(operand(Dtype::kInt64, shape, FillKind::kDescending));
  list.back().fill.negatives = Negatives::kAll;
}

/// What an operand of a role may be, whatever the others are.
std::vector<Operand> candidates(Role role, const std::vector<Dims>& shapes) {
  std::vector<Operand> list;
  for (const Dims& shape : shapes) {
    switch (role) {
      case Role::kValue: list.push_back(operand(Dtype::kFloat, shape, FillKind::kIndex)); break;
      case Role::kScalar:
        if (shape.empty()) list.push_back(operand(Dtype::kDouble, shape, FillKind::kIndex));
        break;
      case Role::kIndex:
        for (const FillKind fill :
             {FillKind::kFirst, FillKind::kLast, FillKind::kAscending, FillKind::kDescending})
          list.push_back(operand(Dtype::kInt64, shape, fill));
        append_negatives(list, shape);
        break;
      case Role::kZeroOrNot: append_masks(list, Dtype::kFloat, shape); break;
      case Role::kIndexOrMask:
        list.push_back(operand(Dtype::kInt64, shape, FillKind::kDescending));
        append_negatives(list, shape);
        [[fallthrough]];
      case Role::kMask:
        append_masks(list, Dtype::kBool, shape);
        append_masks(list, Dtype::kUInt8, shape);
        break;
      case Role::kOut: break;
    }
  }
  return list;
}

/// Whether repair leaves it as it is; an illegal combination of shapes is none of ours.
bool is_legal(const Case& c) {
  Case repaired = c;
  repair(repaired, Limits{});
  return repaired == c;
}

/// The same, but for what follows from the rest: fills of values, dtypes of numbers, sizes of
/// results, and `out`.
bool becomes_legal(Case& c) {
  Case repaired = c;
  repair(repaired, Limits{});
  if (repaired.operands.size() != c.operands.size()) return false;
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    Operand& ours = c.operands[k];
    const Operand& theirs = repaired.operands[k];
    const Role role = spec_of(c, static_cast<int>(k)).role;
    if (role == Role::kValue || role == Role::kScalar) ours.fill.kind = theirs.fill.kind;
    if (role == Role::kScalar) ours.dtype = theirs.dtype;
    // Only offsets are filled so, and nothing else is right for them.
    if (is_of_offsets(theirs.fill.kind)) ours.fill.kind = theirs.fill.kind;
    if (role == Role::kOut) ours = theirs;
  }
  const auto attributes = overload_of(c).attributes;
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    const bool follows = attributes[a].type == AttributeType::kOptionalSize;
    if (follows && c.attributes[a] != kNoInt) c.attributes[a] = repaired.attributes[a];
  }
  return repaired == c;
}

/// Offers the operand with each single trait in turn.
void for_each_trait(Operand& target, const std::function<void()>& offer) {
  const Operand plain = target;
  const auto with = [&](auto&& change) {
    change(target);
    offer();
    target = plain;
  };
  with([](Operand& o) { o.guard = Guard::kRight; });
  with([](Operand& o) { o.layout.offset = 1; });
  if (rank(plain.shape) >= 2)
    with([](Operand& o) { std::swap(o.layout.order[0], o.layout.order[1]); });
  for (std::size_t d = 0; d < plain.shape.size(); ++d) {
    with([&](Operand& o) { o.layout.dims[d].step = 2; });
    with([&](Operand& o) { o.layout.dims[d].before = 1; });
    with([&](Operand& o) { o.layout.dims[d].after = 1; });
    with([&](Operand& o) {
      o.layout.dims[d].expanded = true;
      o.fill.repeats = static_cast<std::uint16_t>(1u << d);
    });
    with([&](Operand& o) { o.layout.dims[d].slides = true; });
  }
}

void with_each_trait(Case& c, const Sink& sink) {
  sink(c);
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    if (!c.operands[k].present || spec_of(c, static_cast<int>(k)).role == Role::kScalar) continue;
    for_each_trait(c.operands[k], [&] {
      if (is_legal(c)) sink(c);
    });
  }
}

/// Offers the legal cases that these operands and attributes stand for: every variant, `out` that
/// fits or is resized, every trait.
void with_each_variant(const Case& inputs, const Sink& sink) {
  for (const Form& form : overload_of(inputs).forms) {
    Case c = inputs;
    c.variant = form.variant;
    const bool has_out = form.variant == Variant::kOut;
    if (has_out) c.operands.push_back(operand(Dtype::kFloat, {}, FillKind::kIndex));
    if (!becomes_legal(c)) continue;
    with_each_trait(c, sink);
    if (!has_out || numel(c.operands.back().shape) == 0) continue;
    for (const std::int64_t size : {0, 3}) {
      c.operands.back() = operand(c.operands.back().dtype, {size}, FillKind::kIndex);
      c.operands.back().own_shape = true;
      with_each_trait(c, sink);
    }
  }
}

void with_each_attribute(Case& c, std::size_t a, const Sink& sink) {
  const auto specs = overload_of(c).attributes;
  if (a == specs.size()) return with_each_variant(c, sink);
  std::vector<std::int64_t> values;
  // Of a list of values any entry may have the dimension, or the result alone.
  const std::int64_t dims =
      lists_values(overload_of(c)) ? 3 : std::max(rank(c.operands[0].shape), 1);
  switch (specs[a].type) {
    case AttributeType::kBool: values = {0, 1}; break;
    case AttributeType::kSize: values = {0, 1, 2}; break;
    case AttributeType::kChoice:
    case AttributeType::kCode:
      values.resize(specs[a].choices.size());
      std::iota(values.begin(), values.end(), 0);
      break;
    case AttributeType::kRow: values = {kNoRow, 0, 1}; break;
    case AttributeType::kOptionalRow:
    case AttributeType::kOptionalPlace: values = {kNoInt, -2, -1, 0, 1}; break;
    case AttributeType::kStep: values = {1, 2}; break;
    case AttributeType::kOptionalSize: values = {kNoInt, 0}; break;
    case AttributeType::kAnyInt:
      values = {-1, 0, 1};
      // Where there are many, their combinations would take minutes.
      if (specs.size() <= 4) values.insert(values.end(), {-2, 2});
      break;
    case AttributeType::kDims:
      // Every set of the dimensions of a matrix, counted from the front and from the end.
      values = {0, dim_bit(0), dim_bit(1), dim_bit(0) | dim_bit(1), dim_bit(-1), dim_bit(-2)};
      break;
    case AttributeType::kOptionalDim: values = {kNoInt}; [[fallthrough]];
    case AttributeType::kDim:
    case AttributeType::kNewDim:
    case AttributeType::kOuterDim:
      for (std::int64_t dim = -dims; dim < dims; ++dim) values.push_back(dim);
      break;
  }
  for (const std::int64_t value : values) {
    c.attributes[a] = value;
    with_each_attribute(c, a + 1, sink);
  }
  c.attributes[a] = 0;
}

/// Offers each list of one entry, and those of two that hold neither uint8 nor negative positions.
void with_each_list(Case& c, Role role, const Sink& sink) {
  std::vector<Operand> entries = candidates(role, shapes());
  if (role == Role::kIndexOrMask) entries.emplace_back().present = false;
  const auto is_plain = [](const Operand& entry) {
    return entry.fill.negatives == Negatives::kNone && entry.dtype != Dtype::kUInt8;
  };
  for (const Operand& first : entries) {
    c.operands.push_back(first);
    with_each_attribute(c, 0, sink);
    for (const Operand& second : entries) {
      if (!is_plain(first) || !is_plain(second)) continue;
      c.operands.push_back(second);
      with_each_attribute(c, 0, sink);
      c.operands.pop_back();
    }
    c.operands.pop_back();
  }
}

void with_each_operand(Case& c, const Sink& sink) {
  const auto specs = overload_of(c).operands;
  if (c.operands.size() == specs.size()) return with_each_attribute(c, 0, sink);
  const OperandSpec& spec = specs[c.operands.size()];
  if (spec.is_list) return with_each_list(c, spec.role, sink);
  const auto& of_operand = spec.role == Role::kScalar ? shapes() : shapes_for(c);
  for (const Operand& candidate : candidates(spec.role, of_operand)) {
    c.operands.push_back(candidate);
    with_each_operand(c, sink);
    c.operands.pop_back();
  }
}

void with_each_case(const OperatorInfo& row, const Sink& sink) {
  for (std::size_t overload = 0; overload < row.overloads.size(); ++overload) {
    Case c;
    c.op = row.number;
    c.overload = static_cast<std::uint8_t>(overload);
    with_each_operand(c, sink);
  }
}

class Exhaustive : public ::testing::TestWithParam<const OperatorInfo*> {};

TEST_P(Exhaustive, EverySmallCaseAgrees) {
  install_guarded_allocator();
  set_global_state();
  const Resolved resolved = resolve({}, operators());
  ASSERT_EQ(resolved.error, "");
  Arena arena;
  Executor executor;
  Observation observation;
  std::map<std::pair<int, Variant>, int> judged;
  int failed = 0;
  with_each_case(*GetParam(), [&](const Case& c) {
    if (may_end_the_process(c)) return;
    arena.prepare(c);
    const Plan* const plan =
        find_plan(resolved.implementations[0], *GetParam(), c.overload, c.variant);
    ASSERT_NE(plan, nullptr);
    executor.run(*plan, arena, observation);
    const Verdict verdict = judge(arena, observation, {});
    executor.release();
    if (verdict.status == Status::kVacuous || is_known(c, verdict)) return;
    ++judged[{c.overload, c.variant}];
    if (verdict.status != Status::kAgreed && ++failed <= 10)
      ADD_FAILURE() << name(verdict.kind) << " " << verdict.message.data() << "\n" << to_text(c);
  });
  EXPECT_EQ(failed, 0);
  EXPECT_TRUE(arena.canaries_intact());
  for (const Target& target : all_targets()) {
    if (target.op != GetParam()->number) continue;
    const Overload& overload = GetParam()->overloads[target.overload];
    EXPECT_GT((judged[{target.overload, target.variant}]), 50)
        << overload.name << " " << name(target.variant);
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, Exhaustive,
                         ::testing::ValuesIn(operators().begin(), operators().end()),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
}  // namespace indexfuzz
