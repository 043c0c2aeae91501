// The torch side: names to plans, errors to outcomes, a run of encoded cases.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ops/constant_pad_nd.h>
#include <torch/library.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "../written_case.h"
#include "case/bytes.h"
#include "draw/draw.h"
#include "memory/arena.h"
#include "ops/definition/illegal_rule.h"
#include "ops/definition/operator.h"
#include "run/call/executor.h"
#include "run/call/implementation.h"
#include "run/call/refusal.h"
#include "run/process/worker.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

at::Tensor gather_like(const at::Tensor& self, int64_t, const at::Tensor&) {
  return self;
}

TORCH_LIBRARY_FRAGMENT(run_test, m) {
  m.def(
      "gather(Tensor x, int axis, Tensor positions, *, int blocks=128, bool sparse_grad=False) -> "
      "Tensor");
  m.def("gather_(Tensor(a!) self, int dim, Tensor index, *, bool sparse_grad=False) -> ()");
  m.def("index_select_fast(Tensor self, int dim, Tensor index) -> Tensor", gather_like);
  m.def("too_much(Tensor self, int dim, Tensor index, Tensor more) -> (Tensor, Tensor)");
  m.def("scatter_add.out(Tensor(a!) out, Tensor self, int dim, Tensor index, Tensor src) -> ()");
  m.def("max_unpool2d(Tensor self, Tensor indices, SymInt[2] size) -> Tensor");
  m.def(
      "embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, "
      "int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, "
      "int? padding_idx) -> Tensor");
  m.def(
      "embedding_bag_short(Tensor weight, Tensor indices, Tensor offsets, int mode, "
      "bool include_last_offset, int? padding_idx) -> Tensor");
  for (const char* name : {"max_unpool2d", "embedding_bag", "embedding_bag_short"})
    m.impl(name, c10::DispatchKey::CPU, torch::CppFunction::makeFallthrough());
  m.impl("gather", c10::DispatchKey::CPU, torch::CppFunction::makeFallthrough());
  m.impl("gather_", c10::DispatchKey::CPU, torch::CppFunction::makeFallthrough());
  m.impl("too_much", c10::DispatchKey::CPU, torch::CppFunction::makeFallthrough());
  m.impl("scatter_add.out", c10::DispatchKey::CPU, torch::CppFunction::makeFallthrough());
}

// A namespace of which not everything can be run.
TORCH_LIBRARY_FRAGMENT(run_test_half, m) {
  m.def("index_select(Tensor self, int dim, Tensor index) -> Tensor",
        [](const at::Tensor& self, int64_t dim, const at::Tensor& index) {
          return self.index_select(dim, index);
        });
  m.def("gather(Tensor self) -> Tensor", [](const at::Tensor& self) { return self; });
}

// Without the arguments that hardly anybody gives.
TORCH_LIBRARY_FRAGMENT(run_test_short, m) {
  m.def("constant_pad_nd(Tensor self, int[] pad) -> Tensor",
        [](const at::Tensor& self, at::IntArrayRef pad) { return at::constant_pad_nd(self, pad); });
  m.def("index_add(Tensor self, int dim, Tensor index, Tensor source) -> Tensor",
        [](const at::Tensor& self, int64_t dim, const at::Tensor& index, const at::Tensor& source) {
          return self.index_add(dim, index, source);
        });
  m.def("index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values) -> Tensor(a!)",
        [](at::Tensor& self, const c10::List<std::optional<at::Tensor>>& indices,
           const at::Tensor& values) { return self.index_put_(indices, values); });
  m.def("lookup(Tensor self, int dim, Tensor index) -> Tensor",
        [](const at::Tensor& self, int64_t dim, const at::Tensor& index) {
          return self.index_select(dim, index);
        });
}

Resolved resolve_all(std::vector<std::string> names, std::vector<std::string> wanted = {}) {
  std::vector<const OperatorInfo*> requested;
  for (const std::string& name : wanted) requested.push_back(find_operator(name));
  if (wanted.empty()) requested.assign(operators().begin(), operators().end());
  return resolve(names, requested);
}

TEST(Resolve, AtenHasEveryFormOfEveryOperator) {
  const Resolved resolved = resolve_all({});
  ASSERT_EQ(resolved.error, "");
  std::size_t forms = 0;
  for (const OperatorInfo* op : operators()) {
    for (const Overload& overload : op->overloads) forms += overload.forms.size();
  }
  EXPECT_EQ(resolved.implementations.at(0).plans.size(), forms);
}

TEST(Resolve, MatchesByPositionAndLeavesDefaults) {
  const Resolved resolved = resolve_all({"run_test::gather"}, {"gather"});
  ASSERT_EQ(resolved.error, "");
  const Plan& plan = resolved.implementations.at(0).plans.at(0);
  EXPECT_EQ(plan.variant, Variant::kFunctional);
  ASSERT_EQ(plan.arguments.size(), 5u);
  EXPECT_EQ(plan.arguments[1].source, Argument::Source::kAttribute);
  EXPECT_EQ(plan.arguments[2].slot, 1);
  EXPECT_EQ(plan.arguments[3].source, Argument::Source::kConstant);
  EXPECT_THAT(plan.python, HasSubstr("torch.ops.run_test.gather({self}, {dim}, {index}"));
}

TEST(Resolve, NeighbouringAttributesMayBeOneListOfIntegers) {
  const Resolved resolved = resolve_all({"run_test::max_unpool2d"}, {"max_unpool2d"});
  ASSERT_EQ(resolved.error, "");
  const Plan& plan = resolved.implementations.at(0).plans.at(0);
  ASSERT_EQ(plan.arguments.size(), 3u);
  EXPECT_EQ(plan.arguments[2].source, Argument::Source::kAttributeList);
  EXPECT_EQ(plan.arguments[2].count, 2);
  EXPECT_EQ(plan.python,
            "torch.ops.run_test.max_unpool2d({self}, {indices}, [{output_height}, "
            "{output_width}])");
  EXPECT_THAT(plan.cpp, HasSubstr("std::vector<int64_t>{{output_height}, {output_width}})"));
}

TEST(Resolve, WhatNoCaseHasIsNothingWhereTheSchemaAsksForIt) {
  const Resolved full = resolve_all({"run_test::embedding_bag"}, {"embedding_bag"});
  ASSERT_EQ(full.error, "");
  const std::vector<Plan>& plans = full.implementations.at(0).plans;
  const auto padded = std::ranges::find_if(
      plans, [](const Plan& plan) { return plan.op->overloads[plan.overload].name == "padded"; });
  ASSERT_NE(padded, plans.end());
  EXPECT_EQ(
      padded->python,
      "torch.ops.run_test.embedding_bag({weight}, {indices}, {offsets}, {scale_grad_by_freq}, "
      "{mode}, {sparse}, None, {include_last_offset}, {padding_idx})");
  EXPECT_THAT(padded->cpp, HasSubstr("{mode}, {sparse}, c10::IValue(), "));
  // The flags matter only to the gradient, so that a schema may lack them whatever they are.
  const Resolved brief = resolve_all({"run_test::embedding_bag_short"}, {"embedding_bag"});
  ASSERT_EQ(brief.error, "");
  EXPECT_EQ(brief.implementations.at(0).plans.at(0).python,
            "torch.ops.run_test.embedding_bag_short({weight}, {indices}, {offsets}, {mode}, "
            "{include_last_offset}, {padding_idx})");
  EXPECT_THAT(brief.implementations.at(0).plans.at(0).lacking, ::testing::IsEmpty());
}

TEST(Resolve, AnOutArgumentMayStandFirstAndReturnNothing) {
  const Resolved resolved = resolve_all({"run_test::scatter_add.out"});
  ASSERT_EQ(resolved.error, "");
  const Plan& plan = resolved.implementations.at(0).plans.at(0);
  EXPECT_EQ(plan.variant, Variant::kOut);
  EXPECT_TRUE(plan.returns_nothing);
  EXPECT_EQ(plan.python,
            "(torch.ops.run_test.scatter_add.out({out}, {self}, {dim}, {index}, {src}), {out})[1]");
}

TEST(Resolve, AnyNameIsTakenForOneOperatorAndByItsBeginningForSeveral) {
  EXPECT_EQ(resolve_all({"run_test::index_select_fast"}, {"index_select"}).error, "");
  const Resolved resolved = resolve_all({"run_test::index_select_fast@cpu"});
  ASSERT_EQ(resolved.error, "");
  EXPECT_EQ(resolved.implementations.at(0).plans.at(0).op->name, "index_select");
}

TEST(Resolve, SaysWhatIsWrong) {
  EXPECT_THAT(resolve_all({"run_test::gathre"}).error, HasSubstr("did you mean run_test::gather?"));
  EXPECT_THAT(resolve_all({"runtest::gather"}).error, HasSubstr("did you mean run_test::gather?"));
  EXPECT_THAT(resolve_all({"aten:cpuu"}).error, HasSubstr("did you mean aten:cpu?"));
  EXPECT_THAT(resolve_all({"aten:cuda"}).error, HasSubstr("there is no such GPU here"));
  EXPECT_THAT(resolve_all({"run_test::too_much"}, {"gather"}).error,
              HasSubstr("expected aten::gather(Tensor self"));
  EXPECT_THAT(resolve_all({"run_test::gather"}, {"index_select"}).error,
              HasSubstr("is gather by its name"));
  EXPECT_THAT(resolve_all({"xyzzy"}).error,
              HasSubstr("nothing is registered in the namespace xyzzy"));
}

TEST(Resolve, ANamespaceRunsWithoutWhatDoesNotFit) {
  const Resolved resolved = resolve_all({"run_test_half"}, {"gather", "index_select"});
  EXPECT_EQ(resolved.error, "");
  ASSERT_EQ(resolved.implementations.size(), 1u);
  EXPECT_EQ(resolved.implementations[0].name, "run_test_half::index_select");
  ASSERT_EQ(resolved.left_out.size(), 1u);
  EXPECT_THAT(resolved.left_out[0], HasSubstr("does not fit gather"));
  EXPECT_THAT(resolve_all({"run_test_half"}, {"gather"}).error, HasSubstr("does not fit gather"));
}

TEST(Resolve, ANamespaceSaysWhatHasNoOperatorsName) {
  const Resolved resolved = resolve_all({"run_test"}, {"gather"});
  EXPECT_EQ(resolved.error, "");
  ASSERT_FALSE(resolved.left_out.empty());
  EXPECT_THAT(resolved.left_out.back(), HasSubstr("run_test::index_select_fast"));
  EXPECT_THAT(resolved.left_out.back(), Not(HasSubstr("run_test::gather")));
  EXPECT_THAT(resolved.left_out.back(), HasSubstr("name it in full: --impl run_test::"));
}

TEST(Resolve, WhatAtenGivesADefaultMayBeLacking) {
  const Resolved resolved = resolve_all({"run_test_short::index_add", "run_test_short::index_put_"},
                                        {"index_add", "index_put"});
  ASSERT_EQ(resolved.error, "");
  EXPECT_EQ(resolved.implementations.at(0).plans.at(0).lacking.size(), 1u);
  EXPECT_EQ(resolved.implementations.at(1).plans.at(0).lacking.size(), 1u);
  // index_select whole, gather without sparse_grad.
  const Resolved whole = resolve_all({"run_test_short::lookup"}, {"gather", "index_select"});
  ASSERT_EQ(whole.error, "");
  EXPECT_EQ(whole.implementations.at(0).plans.at(0).op->name, "index_select");
  EXPECT_EQ(resolve_all({"run_test_short::lookup"}, {"gather"}).error, "");
}

TEST(Resolve, CallsThatGiveWhatIsLackingAreLeftOut) {
  const Resolved resolved = resolve_all({"run_test_short::index_add", "run_test_short::index_put_",
                                         "run_test_short::constant_pad_nd"},
                                        {"index_add", "index_put", "constant_pad_nd"});
  const auto outcome = [&](std::size_t implementation, std::string_view body) {
    Arena arena;
    const Case c = written(body);
    arena.prepare(c);
    Executor executor;
    Observation observation;
    executor.run(resolved.implementations.at(implementation).plans.at(0), arena, observation);
    return observation.outcome;
  };
  constexpr std::string_view kAdd =
      "index_add functional\nself float32 (4) fill=sums1\nindex int64 (3) fill=random1\nsource "
      "float32 (3) fill=sums1\n";
  const std::string add(kAdd);
  EXPECT_EQ(outcome(0, add + "alpha float64 () fill=ones\n"), Outcome::kReturned);
  EXPECT_EQ(outcome(0, add + "alpha float64 () fill=zeros\n"), Outcome::kUnsupported);
  EXPECT_EQ(outcome(1,
                    "index_put in-place\nself float32 (4)\nvalues float32 (3)\n"
                    "indices int64 (3) fill=ascending\n"),
            Outcome::kReturned);
  EXPECT_EQ(outcome(1,
                    "index_put in-place accumulate=true\nself float32 (4) fill=sums1\n"
                    "values float32 (3) fill=sums1\nindices int64 (3) fill=ascending\n"),
            Outcome::kUnsupported);
  const std::string pad = "constant_pad_nd.one functional left=1\nself float32 (1)\nvalue ";
  EXPECT_EQ(outcome(2, pad + "float64 () fill=zeros\n"), Outcome::kReturned);
  EXPECT_EQ(outcome(2, pad + "float64 () fill=special1 seed=2\n"), Outcome::kUnsupported)
      << "-0.0 is not 0";
}

TEST(Resolve, SomebodyElsesKernelMayLeaveOpenWhatATenRefuses) {
  const Case overflows = written(
      "index_fill.int_Scalar functional breaks=value_overflows\nself int16 (2)\n"
      "index int64 (1) fill=first\nvalue int64 ()\n");
  const Case beyond = written(
      "index_fill.int_Scalar functional breaks=index_above\nself int16 (2)\n"
      "index int64 (1) fill=first\nvalue int64 ()\n");
  const Case gaps = written("index.Tensor functional\nself int16 (2)\nindices none\n");
  const Case idle = written(
      "index_fill.int_Scalar functional breaks=dim_above\nself int16 (2)\n"
      "index int64 (0) fill=first\nvalue int64 ()\n");
  Implementation theirs;
  theirs.custom = true;
  EXPECT_FALSE(is_asked(theirs, idle)) << "there is nothing to do";
  EXPECT_TRUE(is_asked(Implementation{}, idle));
  EXPECT_FALSE(is_asked(theirs, gaps));
  EXPECT_TRUE(is_asked(Implementation{}, gaps));
  // Such a case's legal base is called first, and that is nothing they promise.
  EXPECT_FALSE(is_asked(
      theirs, written("embedding_bag.plain functional breaks=weight_rank "
                      "include_last_offset=true\nindices int64 (2) fill=first\n"
                      "offsets int64 (2) fill=offsets1\nweight float32 (2, 2) fill=sums1\n")));
  EXPECT_FALSE(is_asked(theirs, overflows));
  EXPECT_TRUE(is_asked(theirs, beyond));
  int left_open = 0;
  for (std::uint32_t seed = 1; seed <= 64; ++seed) {
    Case far = written(
        "gather functional breaks=index_above\nself float32 (3)\nindex int64 (2) fill=random1\n");
    far.operands[1].fill.seed = seed;
    Case applied = far;
    ASSERT_TRUE(apply_rule(applied));
    const std::int64_t value = applied.operands[1].poke_value;
    const std::int64_t low = static_cast<std::int32_t>(value);
    const bool truncated = low != value && -3 <= low && low < 3;
    theirs.device = 0;
    EXPECT_EQ(is_asked(theirs, far), !truncated) << value;
    theirs.device = -1;
    EXPECT_TRUE(is_asked(theirs, far));
    left_open += truncated;
  }
  EXPECT_GT(left_open, 0);
  EXPECT_TRUE(is_asked(Implementation{}, overflows));
}

TEST(Refusal, IsToldByTheMessage) {
  EXPECT_EQ(outcome_of_error("\"index_cpu\" not implemented for 'Half'"), Outcome::kUnsupported);
  EXPECT_EQ(outcome_of_error("x < 5 INTERNAL ASSERT FAILED at \"a.cpp\":3"), Outcome::kAsserted);
  EXPECT_EQ(outcome_of_error("gather(): Expected dtype int64 for index"), Outcome::kUnsupported);
  EXPECT_EQ(outcome_of_error("index out of range in self"), Outcome::kRefused);
  EXPECT_EQ(first_line("one\ntwo"), "one");
  std::string failed = "x < 5 INTERNAL ASSERT FAILED at \"/built/here/src/a.cpp\":3, please report";
  shorten_place(failed);
  EXPECT_EQ(failed, "x < 5 INTERNAL ASSERT FAILED at \"a.cpp\", please report");
  shorten_place(failed);
  EXPECT_EQ(failed, "x < 5 INTERNAL ASSERT FAILED at \"a.cpp\", please report");
  std::string refused = "/built/here/src/a.cpp:3: expected 2";
  shorten_place(refused);
  EXPECT_EQ(refused, "a.cpp: expected 2");
  shorten_place(refused);
  EXPECT_EQ(refused, "a.cpp: expected 2");
  for (const std::string other :
       {"/is/no/file", "/is/no/file: no such file", "/is/no/file of step:3", "/is/no/file:"}) {
    std::string said = other;
    shorten_place(said);
    EXPECT_EQ(said, other);
  }
}

TEST(Worker, RunsEncodedCases) {
  const Resolved resolved = resolve_all({"aten:cpu"});
  const auto free_memory = [](SharedMemory* memory) { std::free(memory); };
  std::unique_ptr<SharedMemory, decltype(free_memory)> memory(
      static_cast<SharedMemory*>(std::calloc(1, shared_memory_bytes(1))), free_memory);
  Slot& slot = memory->slots[0];
  slot.job.type = Job::Type::kRun;
  slot.job.implementation = 0;
  slot.job.case_count = 20;
  slot.job.repeats = 2;
  const OperatorInfo* op = find_operator("index_select");
  const Target target{op->number, 0, Variant::kFunctional};
  Limits limits;
  limits.dtypes = set_of(Dtype::kFloat) | set_of(Dtype::kInt64);
  for (std::uint32_t i = 0; i < slot.job.case_count; ++i) {
    Case c;
    draw_case(1, 0, i, {&target, 1}, limits, c);
    encode(c, slot.run_bytes + i * kEncodedBytes);
  }
  slot.run_size = slot.job.case_count * kEncodedBytes;
  carry_out(resolved.implementations, *memory, slot);
  ASSERT_EQ(slot.completed.load(), slot.job.case_count);
  for (std::uint32_t i = 0; i < slot.job.case_count; ++i) {
    EXPECT_EQ(slot.results[i].case_number, i);
    EXPECT_NE(slot.results[i].verdict.status, Status::kFinding)
        << slot.results[i].verdict.message.data();
  }
}

}  // namespace
}  // namespace indexfuzz
