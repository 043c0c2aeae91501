// The planted bugs that the catalogue calls rare: of cases drawn uniformly, as one would draw them
// without further thought, fewer than one in 10,000 triggers them.

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "../written_case.h"
#include "campaign/catalogue.h"
#include "indexfuzz_config.h"
#include "judge/judge.h"
#include "ops/repair/repair.h"
#include "run/call/executor.h"
#include "run/call/implementation.h"
#include "run/call/libraries.h"
#include "run/watch/guarded_allocator.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

constexpr int kCases = 10'000;

class Uniform {
 public:
  /// A legal case of one form: ranks 0 to 4, sides 0 to 8, half of the operands transposed or with
  /// a step, values that count up.
  Case draw(const OperatorInfo& op, const Plan& plan) {
    Case c;
    c.op = op.number;
    c.overload = plan.overload;
    c.variant = plan.variant;
    const Overload& overload = op.overloads[plan.overload];
    const auto lists = overload.operands.back().is_list ? below(3) : 0;
    c.operands.resize(overload.operands.size() + lists + (plan.variant == Variant::kOut ? 1 : 0));
    const Dims theme = shape();
    for (std::size_t k = 0; k < c.operands.size(); ++k)
      fill(c.operands[k], spec_of(c, static_cast<int>(k)).role, below(4) == 0 ? shape() : theme);
    for (std::size_t a = 0; a < overload.attributes.size(); ++a)
      c.attributes[a] = static_cast<std::int64_t>(below(9)) - 4;
    repair(c, Limits{});
    return c;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  Dims shape() {
    Dims dims(below(5));
    for (std::int64_t& size : dims) size = static_cast<std::int64_t>(below(9));
    return dims;
  }

  void fill(Operand& operand, Role role, const Dims& shape) {
    constexpr Dtype kDtypes[] = {Dtype::kFloat, Dtype::kInt64, Dtype::kDouble, Dtype::kInt32};
    operand.dtype = kDtypes[below(4)];
    operand.shape = shape;
    operand.layout = contiguous_layout(rank(shape));
    switch (role) {
      case Role::kIndex: operand.fill.kind = FillKind::kRandom1; break;
      case Role::kIndexOrMask:
      case Role::kMask:
      case Role::kZeroOrNot:
        if (role != Role::kIndexOrMask || below(4) == 0) {
          operand.dtype = role == Role::kZeroOrNot ? operand.dtype : Dtype::kBool;
          operand.fill.kind = FillKind::kMaskMixed1;
          operand.fill.popcount = static_cast<std::uint32_t>(below(4096));
        } else {
          operand.fill.kind = FillKind::kRandom1;
        }
        break;
      case Role::kValue:
      case Role::kScalar:
      case Role::kOut: break;
    }
    // An even seed: masks hold 1 and nothing else.
    operand.fill.seed = static_cast<std::uint32_t>(2 * below(1 << 15));
    if (shape.empty() || below(2) == 0) return;
    if (below(2) == 0) {
      operand.layout.dims[below(shape.size())].step = 2;
    } else {
      std::swap(operand.layout.order.front(), operand.layout.order.back());
    }
  }

  std::mt19937_64 random_{20'000};
};

TEST(RareBugs, AreTriggeredByFewerThanOneInTenThousandUniformCases) {
  install_guarded_allocator();
  set_global_state();
  ASSERT_EQ(load_library(std::string(config::kBuildDir) + "/libindexfuzz_planted.so"), "");
  const auto catalogue =
      read_catalogue(std::string(config::kSourceDir) + "/src/planted/catalogue.toml");
  int rare = 0;
  for (const PlantedKernel& kernel : catalogue) {
    if (!kernel.rare) continue;
    ++rare;
    const OperatorInfo* op = find_operator(kernel.op);
    const Resolved resolved = resolve(std::span(&kernel.name, 1), std::span(&op, 1));
    ASSERT_EQ(resolved.error, "") << kernel.name;
    const Plan& plan = resolved.implementations[0].plans[0];
    Arena arena;
    Executor executor;
    Observation observation;
    Uniform uniform;
    int triggered = 0, judged = 0;
    for (int i = 0; i < kCases; ++i) {
      arena.prepare(uniform.draw(*op, plan));
      executor.run(plan, arena, observation);
      const Verdict verdict = judge(arena, observation, {true, false});
      executor.release();
      judged += verdict.status == Status::kAgreed;
      triggered += verdict.status == Status::kFinding;
    }
    EXPECT_LE(triggered, 1) << kernel.name;
    EXPECT_GT(judged, kCases / 4) << kernel.name;
  }
  EXPECT_GE(rare, 12);
}

}  // namespace
}  // namespace indexfuzz
