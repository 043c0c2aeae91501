// Every case of rank ≤ 2 and sizes ≤ 2 with at most one layout trait over all its operands, float32
// with int64 indices, run through PyTorch on the CPU in this process and judged. Exhaustive before
// random.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "../written_case.h"
#include "judge/judge.h"
#include "run/executor.h"
#include "run/guarded_allocator.h"
#include "run/implementation.h"
#include "run/state.h"

namespace indexfuzz {
namespace {

using Sink = std::function<void(const Case&)>;

std::vector<Dims> shapes() {
  std::vector<Dims> list{{}};
  for (std::int64_t a = 0; a <= 2; ++a) {
    list.push_back({a});
    for (std::int64_t b = 0; b <= 2; ++b) list.push_back({a, b});
  }
  return list;
}

Operand operand(Dtype dtype, const Dims& shape, FillKind fill) {
  Operand result;
  result.dtype = dtype;
  result.shape = shape;
  result.layout = contiguous_layout(rank(shape));
  result.fill.kind = fill;
  return result;
}

/// Whether repair leaves it as it is; an illegal combination of shapes is none of ours.
bool is_legal(const Case& c) {
  Case repaired = c;
  repair(repaired, Limits{});
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
  with([](Operand& o) { o.guard = Guard::kLeft; });
  with([](Operand& o) { o.layout.offset = 1; });
  if (rank(plain.shape) == 2)
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

/// Offers the legal cases that this one stands for: every variant, `out` that fits or is resized,
/// every trait.
void for_each_variant_and_trait(Case c, const Sink& sink) {
  const Case functional = c;
  for (const Form& form : overload_of(c).forms) {
    c = functional;
    c.variant = form.variant;
    if (!is_legal(functional)) return;
    std::vector<Dims> outs{{}};
    if (form.variant == Variant::kOut) {
      outs = {operator_of(c).result(functional).shape};
      if (numel(outs[0]) > 0) outs.push_back({0});
    }
    for (const Dims& out : outs) {
      c.operands = functional.operands;
      if (form.variant == Variant::kOut)
        c.operands.push_back(operand(Dtype::kFloat, out, FillKind::kIndex));
      if (is_legal(c)) sink(c);
      for (Operand& target : c.operands) {
        if (!target.present) continue;
        for_each_trait(target, [&] {
          if (is_legal(c)) sink(c);
        });
      }
    }
  }
}

void for_each_dim(Case c, const Sink& sink) {
  const std::int64_t r = std::max(rank(c.operands[0].shape), 1);
  for (std::int64_t dim = -r; dim < r; ++dim) {
    c.attributes[0] = dim;
    for_each_variant_and_trait(c, sink);
  }
}

constexpr FillKind kPositions[] = {FillKind::kFirst, FillKind::kLast, FillKind::kAscending,
                                   FillKind::kDescending};

void index_select_and_gather(std::string_view op, const Sink& sink) {
  Case c;
  c.op = find_operator(op)->number;
  for (const Dims& self : shapes()) {
    for (const Dims& index : shapes()) {
      for (const FillKind fill : kPositions) {
        for (const bool flag : {false, true}) {
          if (flag && op != "gather") continue;
          c.attributes[1] = flag ? 1 : 0;
          c.operands = {operand(Dtype::kFloat, self, FillKind::kIndex),
                        operand(Dtype::kInt64, index, fill)};
          for_each_dim(c, sink);
        }
      }
    }
  }
}

void scatter_add(const Sink& sink) {
  Case c;
  c.op = find_operator("scatter_add")->number;
  for (const Dims& self : shapes()) {
    for (const Dims& index : shapes()) {
      for (const Dims& src : shapes()) {
        for (const FillKind fill : kPositions) {
          c.operands = {operand(Dtype::kFloat, self, FillKind::kSums1),
                        operand(Dtype::kInt64, index, fill),
                        operand(Dtype::kFloat, src, FillKind::kSums1)};
          for_each_dim(c, sink);
        }
      }
    }
  }
}

/// What may stand in a list: None, positions of every shape, masks of every popcount.
std::vector<Operand> list_entries() {
  std::vector<Operand> entries(1);
  entries[0].present = false;
  for (const Dims& shape : shapes()) {
    Operand positions = operand(Dtype::kInt64, shape, FillKind::kDescending);
    entries.push_back(positions);
    positions.fill.negatives = Negatives::kAll;
    entries.push_back(positions);
    if (shape.empty()) continue;
    for (const Dtype dtype : {Dtype::kBool, Dtype::kUInt8}) {
      for (std::uint32_t popcount = 0; popcount <= numel(shape); ++popcount) {
        entries.push_back(operand(dtype, shape, FillKind::kMaskBack));
        entries.back().fill.popcount = popcount;
      }
    }
  }
  return entries;
}

void index_put(const Sink& sink) {
  Case c;
  c.op = find_operator("index_put")->number;
  const std::vector<Operand> entries = list_entries();
  const auto with_values = [&](const Dims& self, std::initializer_list<Operand> list) {
    const FillKind fill = c.attributes[0] != 0 ? FillKind::kSums1 : FillKind::kIndex;
    c.operands = {operand(Dtype::kFloat, self, fill), operand(Dtype::kFloat, {}, fill)};
    c.operands.insert(c.operands.end(), list.begin(), list.end());
    if (!is_legal(c)) return;  // one value fits every list that is legal
    for (const Dims& values : shapes()) {
      c.operands[1] = operand(Dtype::kFloat, values, fill);
      for_each_variant_and_trait(c, sink);
    }
  };
  for (const std::int64_t accumulate : {0, 1}) {
    c.attributes[0] = accumulate;
    for (const Dims& self : shapes()) {
      for (const Operand& first : entries) {
        with_values(self, {first});
        for (const Operand& second : entries) {
          // uint8 and negative positions are the single lists' matter.
          const bool plain = first.fill.negatives == Negatives::kNone &&
                             second.fill.negatives == Negatives::kNone &&
                             first.dtype != Dtype::kUInt8 && second.dtype != Dtype::kUInt8;
          if (plain && rank(self) == 2) with_values(self, {first, second});
        }
      }
    }
  }
}

/// PyTorch 2.11 refuses a uint8 mask with a single value: masked_fill takes boolean masks only.
bool is_known(const Case& c, const Verdict& verdict) {
  if (verdict.kind != Kind::kRefusal || operator_of(c).name != "index_put" ||
      numel(c.operands[1].shape) != 1)
    return false;
  bool has_uint8 = false;
  for (int k = 2; k < input_count(c); ++k) {
    const Operand& entry = c.operands[static_cast<std::size_t>(k)];
    has_uint8 |= entry.present && entry.dtype == Dtype::kUInt8;
    if (entry.present && family(entry.fill.kind) != FillFamily::kMask) return false;
  }
  return has_uint8;
}

struct Counts {
  int run = 0, vacuous = 0, known = 0, failed = 0;
};

Counts run_all(const std::function<void(const Sink&)>& enumerate) {
  install_guarded_allocator();
  set_global_state();
  const Resolved resolved = resolve({}, operators());
  EXPECT_EQ(resolved.error, "");
  Arena arena;
  Executor executor;
  Observation observation;
  Counts counts;
  enumerate([&](const Case& c) {
    arena.prepare(c);
    const Plan* const plan = find_plan(resolved.implementations[0], c);
    ASSERT_NE(plan, nullptr);
    executor.run(*plan, arena, observation);
    const Verdict verdict = judge(arena, observation, {});
    executor.release();
    ++counts.run;
    counts.vacuous += verdict.status == Status::kVacuous;
    if (verdict.status == Status::kAgreed || verdict.status == Status::kVacuous) return;
    if (is_known(c, verdict)) {
      ++counts.known;
    } else if (++counts.failed <= 10) {
      ADD_FAILURE() << name(verdict.kind) << " " << verdict.message.data() << "\n" << to_text(c);
    }
  });
  EXPECT_EQ(counts.failed, 0);
  EXPECT_TRUE(arena.canaries_intact());
  return counts;
}

TEST(Exhaustive, IndexSelect) {
  const Counts counts =
      run_all([](const Sink& sink) { index_select_and_gather("index_select", sink); });
  EXPECT_GT(counts.run, 1000);
  EXPECT_GT(counts.run - counts.vacuous, counts.run / 4);
}

TEST(Exhaustive, Gather) {
  const Counts counts = run_all([](const Sink& sink) { index_select_and_gather("gather", sink); });
  EXPECT_GT(counts.run, 1000);
  EXPECT_GT(counts.run - counts.vacuous, counts.run / 4);
}

TEST(Exhaustive, ScatterAdd) {
  const Counts counts = run_all(scatter_add);
  EXPECT_GT(counts.run, 1000);
  EXPECT_GT(counts.run - counts.vacuous, counts.run / 4);
}

TEST(Exhaustive, IndexPut) {
  const Counts counts = run_all(index_put);
  EXPECT_GT(counts.run, 1000);
  EXPECT_GT(counts.run - counts.vacuous, counts.run / 4);
  EXPECT_GT(counts.known, 0);
}

}  // namespace
}  // namespace indexfuzz
