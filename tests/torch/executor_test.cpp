// One call through the dispatcher.

#include "run/call/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/Context.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <c10/util/Exception.h>
#include <torch/library.h>

#include <memory>
#include <stdexcept>

#include "../written_case.h"
#include "judge/judge.h"
#include "ops/definition/illegal_rule.h"
#include "run/call/plan.h"
#include "run/watch/guarded_allocator.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;

at::Tensor undefined(const at::Tensor&, int64_t, const at::Tensor&) {
  return {};
}
at::Tensor refuses(const at::Tensor&, int64_t dim, const at::Tensor&) {
  TORCH_CHECK(false, "dim ", dim, " is too much\nfor this kernel");
}
at::Tensor asserts(const at::Tensor&, int64_t, const at::Tensor&) {
  TORCH_INTERNAL_ASSERT(false, "never");
}
at::Tensor unsupported(const at::Tensor&, int64_t, const at::Tensor&) {
  TORCH_CHECK_NOT_IMPLEMENTED(false, "\"f\" not implemented for 'Float'");
}
at::Tensor standard(const at::Tensor&, int64_t, const at::Tensor&) {
  throw std::runtime_error("an ordinary error");
}
at::Tensor foreign(const at::Tensor&, int64_t, const at::Tensor&) {
  throw 7;
}
at::Tensor itself(const at::Tensor& self, int64_t, const at::Tensor&) {
  return self;
}
at::Tensor into_one_buffer(const at::Tensor& self, int64_t dim, const at::Tensor& index) {
  static at::Tensor buffer = at::empty({64}, self.options());
  at::Tensor result = buffer.narrow(0, 0, index.numel());
  result.copy_(at::index_select(self, dim, index));
  return result;
}
at::Tensor in_slices_of_a_buffer(const at::Tensor& self, int64_t dim, const at::Tensor& index) {
  static at::Tensor buffer = at::empty({64}, self.options());
  static int64_t used = 0;
  at::Tensor result = buffer.narrow(0, used, index.numel());
  used += index.numel();
  result.copy_(at::index_select(self, dim, index));
  return result;
}
at::Tensor turns_self(const at::Tensor& self, int64_t dim, const at::Tensor& index) {
  at::Tensor result = at::index_select(self, dim, index);
  at::Tensor(self).unsqueeze_(0);
  return result;
}
at::Tensor puts_negation_off(const at::Tensor& self, int64_t dim, const at::Tensor& index) {
  return at::index_select(self, dim, index).neg()._neg_view();
}
at::Tensor tells_the_flag(const at::Tensor&, int64_t, const at::Tensor&) {
  TORCH_CHECK(!at::globalContext().deterministicAlgorithms(),
              "tells_the_flag does not have a deterministic implementation, but");
  TORCH_CHECK(false, "it is off");
}
at::Tensor overruns(const at::Tensor& self, int64_t, const at::Tensor& index) {
  at::Tensor result = at::empty({index.numel()}, self.options());
  result.data_ptr<float>()[index.numel()] = 0;
  return result;
}

TORCH_LIBRARY_FRAGMENT(executor_test, m) {
  const char* const arguments = "(Tensor self, int dim, Tensor index) -> Tensor";
  m.def((std::string("undefined") + arguments).c_str(), undefined);
  m.def((std::string("refuses") + arguments).c_str(), refuses);
  m.def((std::string("asserts") + arguments).c_str(), asserts);
  m.def((std::string("unsupported") + arguments).c_str(), unsupported);
  m.def((std::string("standard") + arguments).c_str(), standard);
  m.def((std::string("foreign") + arguments).c_str(), foreign);
  m.def((std::string("itself") + arguments).c_str(), itself);
  m.def((std::string("into_one_buffer") + arguments).c_str(), into_one_buffer);
  m.def((std::string("in_slices_of_a_buffer") + arguments).c_str(), in_slices_of_a_buffer);
  m.def((std::string("turns_self") + arguments).c_str(), turns_self);
  m.def((std::string("puts_negation_off") + arguments).c_str(), puts_negation_off);
  m.def((std::string("overruns") + arguments).c_str(), overruns);
  m.def((std::string("tells_the_flag") + arguments).c_str(), tells_the_flag);
  m.def("no_none(Tensor self, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor");
}

Plan first_plan(const c10::OperatorName& name, std::string_view op) {
  return bind(*c10::Dispatcher::singleton().findSchema(name), *find_operator(op)).at(0);
}
Plan own(const std::string& name, std::string_view op) {
  return first_plan({"executor_test::" + name, ""}, op);
}

constexpr std::string_view kCase =
    "index_select functional\nself float32 (4) step=(2) offset=1\nindex int64 (3) fill=ascending\n";

/// One call of the operator registered under a name.
struct Called {
  Called(const Plan& plan, std::string_view body) {
    Case c = written(body);
    apply_rule(c);
    arena.prepare(std::move(c));
    executor.run(plan, arena, observation);
  }
  Called(const std::string& name, std::string_view body)
      : Called(own(name, operator_of(written(body)).name), body) {}
  Verdict verdict(Standing standing = {.is_custom = true, .strict = false}) {
    return judge(arena, observation, standing);
  }

  Arena arena;
  Executor executor;
  Observation observation;
};

Plan aten(std::string_view name, const std::string& overload = "") {
  return first_plan({"aten::" + std::string(name), overload},
                    name.ends_with('_') ? name.substr(0, name.size() - 1) : name);
}

TEST(Executor, HandsTheOperandsOverAsTheyLie) {
  Called call("itself", kCase);
  EXPECT_EQ(call.observation.outcome, Outcome::kReturned);
  EXPECT_EQ(call.observation.result_count, 1);
  const ReturnedTensor& result = call.observation.result;
  EXPECT_EQ(result.same_as_operand, 0);
  EXPECT_EQ(result.dtype, Dtype::kFloat);
  EXPECT_EQ(result.shape, (Dims{4}));
  EXPECT_EQ(result.strides, (Dims{2}));
  EXPECT_EQ(result.data, call.arena.operands()[0].data);
  EXPECT_EQ(result.storage + 4, result.data);
  EXPECT_EQ(call.verdict().kind, Kind::kMetadata);
}

TEST(Executor, OfATableACallIsGivenAllAndItsLastSlicesAreJudged) {
  for (const auto& [name, overload, body] :
       std::initializer_list<std::tuple<std::string_view, std::string, std::string_view>>{
           {"index_select", "",
            "index_select functional\nself int16 (3, 2) slices=last\nindex int64 (2) fill=last\n"},
           {"gather", "",
            "gather functional\nself bool (3) slices=far_last\nindex int64 (3) "
            "fill=descending\n"},
           {"index_add_", "",
            "index_add in-place\nself float32 (3, 2) slices=last fill=sums1\nindex int64 (1) "
            "fill=last\nsource float32 (1, 2) fill=sums1\nalpha int64 () fill=ones\n"},
           {"index_put_", "",
            "index_put in-place\nself float64 (3, 2) slices=far_last\nvalues float64 (2)\n"
            "indices int64 (1) fill=last negatives=all\n"}}) {
    Called call(aten(name, overload), body);
    EXPECT_EQ(call.observation.outcome, Outcome::kReturned) << body;
    EXPECT_EQ(call.verdict().status, Status::kAgreed) << call.verdict().message.data() << body;
  }
}

TEST(Executor, AnUndefinedResultIsDescribedAsSuch) {
  Called call("undefined", kCase);
  EXPECT_EQ(call.observation.outcome, Outcome::kReturned);
  EXPECT_EQ(call.observation.result_count, 1);
  EXPECT_FALSE(call.observation.result.defined);
  EXPECT_THAT(call.verdict().message.data(), HasSubstr("undefined"));
}

TEST(Executor, WhatIsThrownBecomesAnOutcome) {
  Called refused("refuses", kCase);
  EXPECT_EQ(refused.observation.outcome, Outcome::kRefused);
  EXPECT_EQ(refused.observation.message, "dim 0 is too much");
  EXPECT_EQ(Called("standard", kCase).observation.message, "an ordinary error");
  EXPECT_EQ(Called("standard", kCase).observation.outcome, Outcome::kRefused);
  EXPECT_EQ(Called("asserts", kCase).observation.outcome, Outcome::kAsserted);
  EXPECT_EQ(Called("unsupported", kCase).observation.outcome, Outcome::kUnsupported);
  EXPECT_EQ(Called("foreign", kCase).observation.outcome, Outcome::kForeign);
}

TEST(Executor, TheDeterministicFlagIsSetForTheCallAlone) {
  Called without("tells_the_flag", kCase);
  EXPECT_EQ(without.observation.outcome, Outcome::kRefused);
  EXPECT_EQ(without.observation.message, "it is off");
  Called with("tells_the_flag",
              "index_select functional algorithms=deterministic\nself float32 (4)\nindex int64 "
              "(3) fill=ascending\n");
  EXPECT_EQ(with.observation.outcome, Outcome::kUnsupported);
  EXPECT_FALSE(at::globalContext().deterministicAlgorithms());
}

TEST(Executor, AnotherCallStartsAfresh) {
  Called call("refuses", kCase);
  const Plan plan = aten("index_select");
  call.arena.restore();
  call.executor.run(plan, call.arena, call.observation);
  EXPECT_EQ(call.observation.outcome, Outcome::kReturned);
  EXPECT_EQ(call.observation.message, "");
  EXPECT_EQ(call.verdict().status, Status::kAgreed);
}

TEST(Executor, RunsInPlaceAndOutOnTheOperandsThemselves) {
  Called in_place(aten("scatter_add_"),
                  "scatter_add in-place\nself int64 (3) step=(2)\nindex int64 (4) "
                  "fill=ascending\nsrc int64 (4)\n");
  EXPECT_EQ(in_place.observation.written.data, in_place.arena.operands()[0].data);
  EXPECT_EQ(in_place.observation.result.same_as_operand, 0);
  EXPECT_EQ(in_place.verdict({}).status, Status::kAgreed);
  Called out(
      aten("index_select", "out"),
      "index_select out\nself int64 (3)\nindex int64 (2) fill=last\nout int64 (2) step=(3)\n");
  EXPECT_EQ(out.observation.result.same_as_operand, 2);
  EXPECT_EQ(out.verdict({}).status, Status::kAgreed);
}

TEST(Executor, AnOutMayGrow) {
  Called out(aten("index_select", "out"),
             "index_select out\nself int64 (3)\nindex int64 (2) fill=last\nout int64 (0)\n");
  EXPECT_EQ(out.observation.written.shape, (Dims{2}));
  EXPECT_EQ(out.verdict({}).status, Status::kAgreed);
}

TEST(Executor, ANoneThatTheSchemaCannotHoldIsUnsupported) {
  Called call("no_none",
              "index_put functional\nself float32 (2, 2)\nvalues float32 ()\nindices none\nindices "
              "int64 (1) fill=first\n");
  EXPECT_EQ(call.observation.outcome, Outcome::kUnsupported);
}

TEST(Executor, AResultInTheMemoryOfAnEarlierOneIsNoticed) {
  for (const bool reused : {true, false}) {
    const Plan plan = own(reused ? "into_one_buffer" : "in_slices_of_a_buffer", "index_select");
    Called call(plan, kCase);
    EXPECT_EQ(call.verdict().status, Status::kAgreed);
    call.executor.keep_result(call.arena.current());
    call.arena.restore();
    call.executor.run(plan, call.arena, call.observation);
    EXPECT_EQ(call.observation.shares_earlier_result, reused);
    EXPECT_EQ(call.verdict().kind == Kind::kMetadata, reused);
    call.executor.release();
    call.executor.forget_results();
    call.arena.restore();
    call.executor.run(plan, call.arena, call.observation);
    EXPECT_FALSE(call.observation.shares_earlier_result);
  }
}

TEST(Executor, AnInputThatIsTurnedIsNoticed) {
  Called call("turns_self", kCase);
  EXPECT_EQ(call.observation.altered_input, 0);
  EXPECT_EQ(call.verdict().kind, Kind::kInput);
  EXPECT_EQ(Called("itself", kCase).observation.altered_input, -1);
}

TEST(Executor, ANegationThatIsPutOffIsNoDifference) {
  EXPECT_EQ(Called("puts_negation_off", kCase).verdict().status, Status::kAgreed);
}

TEST(Executor, AnOverrunOfTheKernelsOwnResultIsNoticed) {
  install_guarded_allocator();
  Called call("overruns", kCase);
  EXPECT_EQ(call.observation.canary_bytes, 4);
  EXPECT_EQ(call.verdict().kind, Kind::kMemory);
}

}  // namespace
}  // namespace indexfuzz
