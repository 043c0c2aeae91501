// Binding of schemas to operators.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <stdexcept>

#include "run/call/implementation.h"
#include "run/call/plan.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;

TORCH_LIBRARY_FRAGMENT(bind_test, m) {
  m.def("too_many(Tensor self, int dim, Tensor index, Tensor other) -> Tensor");
  m.impl("too_many", c10::DispatchKey::CPU, torch::CppFunction::makeFallthrough());
  m.def("by_name(Tensor index, int dim, Tensor self) -> Tensor");
  m.def("by_position(Tensor a, int b, Tensor c, int block=4) -> Tensor");
  m.def("float_dim(Tensor self, float dim, Tensor index) -> Tensor");
  m.def("in_place_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)");
  m.def("by_out(Tensor self, int dim, Tensor index, *, Tensor(a!) out) -> Tensor(a!)");
  m.def("writes_its_index(Tensor self, int dim, Tensor(a!) index) -> Tensor");
  m.def("writes_two(Tensor(a!) self, int dim, Tensor index, Tensor(b!) src) -> Tensor(a!)");
  m.def("lacks_one(Tensor self, int dim) -> Tensor");
  m.def("wants_more(Tensor self, int dim, Tensor index, Tensor other) -> Tensor");
  m.def("returns_two(Tensor self, int dim, Tensor index) -> (Tensor, Tensor)");
  m.def("wrong_type(Tensor self, Tensor dim, Tensor index) -> Tensor");
  m.def("plain_bag(Tensor weight, Tensor indices, Tensor offsets) -> Tensor");
  m.def(
      "weighted_bag(Tensor weight, Tensor indices, Tensor offsets, Tensor per_sample_weights) -> "
      "Tensor");
  m.def(
      "by_choice(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool "
      "include_self=True) -> Tensor");
  m.def(
      "choice_as_number(Tensor self, int dim, Tensor index, Tensor src, int reduce, *, bool "
      "include_self=True) -> Tensor");
  m.def("no_none(Tensor self, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor");
  m.def(
      "with_none(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor");
}

std::optional<Plan> bound(const std::string& name, std::string_view op) {
  const auto handle = c10::Dispatcher::singleton().findSchema({"bind_test::" + name, ""});
  if (!handle) throw std::runtime_error("no " + name);
  const std::vector<Plan> plans = bind(*handle, *find_operator(op));
  return plans.empty() ? std::nullopt : std::optional(plans.front());
}

TEST(Bind, ToEachOverloadThatFits) {
  const auto overloads = [](const std::string& name) {
    std::vector<int> found;
    const auto handle = c10::Dispatcher::singleton().findSchema({name, ""});
    for (const Plan& plan : bind(*handle, *find_operator("embedding_bag")))
      found.push_back(plan.overload);
    return found;
  };
  // One of ATen's is two of ours, with weights for each sample and without.
  EXPECT_EQ(overloads("aten::embedding_bag"), (std::vector{0, 1}));
  EXPECT_EQ(overloads("bind_test::plain_bag"), (std::vector{0}));
  EXPECT_EQ(overloads("bind_test::weighted_bag"), (std::vector{1}));
}

TEST(Bind, EachOverloadJudgesOneOfSeveralResults) {
  struct Bound {
    const char *op, *overload;
    std::size_t plans;
  };
  for (const Bound& bound : {Bound{"max_pool2d_with_indices", "", 4},
                             {"max_pool2d_with_indices", "out", 4},
                             {"sort", "", 2},
                             {"sort", "values", 2},
                             {"sort", "stable", 2},
                             {"sort", "values_stable", 2},
                             {"topk", "values", 2},
                             {"cummax", "out", 2}}) {
    const auto handle =
        c10::Dispatcher::singleton().findSchema({"aten::" + std::string(bound.op), bound.overload});
    const std::vector<Plan> plans = bind(*handle, *find_operator(bound.op));
    ASSERT_EQ(plans.size(), bound.plans) << bound.op << " " << bound.overload;
    for (const Plan& plan : plans) {
      EXPECT_EQ(plan.judged, plan.op->overloads[plan.overload].judged);
      const auto spares =
          std::ranges::count(plan.arguments, Argument::Source::kSpareOut, &Argument::source);
      EXPECT_EQ(spares, plan.variant == Variant::kOut ? 1 : 0);
    }
  }
}

TEST(Bind, AChoiceTakesAString) {
  EXPECT_TRUE(bound("by_choice", "scatter_reduce"));
  EXPECT_FALSE(bound("choice_as_number", "scatter_reduce"));
}

TEST(Bind, ByName) {
  const std::optional<Plan> plan = bound("by_name", "index_select");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->variant, Variant::kFunctional);
  EXPECT_EQ(plan->arguments[0].slot, 1);
  EXPECT_EQ(plan->arguments[1].source, Argument::Source::kAttribute);
  EXPECT_EQ(plan->arguments[2].slot, 0);
}

TEST(Bind, ByPositionWithItsOwnDefaults) {
  const std::optional<Plan> plan = bound("by_position", "index_select");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->arguments[0].slot, 0);
  EXPECT_EQ(plan->arguments[2].slot, 1);
  EXPECT_EQ(plan->arguments[3].source, Argument::Source::kConstant);
  EXPECT_EQ(plan->arguments[3].constant.toInt(), 4);
}

TEST(Bind, AnAttributeTakesTheTypeOfItsArgument) {
  EXPECT_EQ(bound("float_dim", "index_select")->arguments[1].as, Argument::As::kDouble);
  EXPECT_EQ(bound("by_name", "index_select")->arguments[1].as, Argument::As::kInt);
  EXPECT_EQ(bound("with_none", "index_put")->arguments[3].as, Argument::As::kBool);
}

TEST(Bind, InPlaceAndOut) {
  EXPECT_EQ(bound("in_place_", "scatter_add")->variant, Variant::kInPlace);
  const std::optional<Plan> plan = bound("by_out", "index_select");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->variant, Variant::kOut);
  EXPECT_EQ(plan->arguments[3].source, Argument::Source::kOut);
}

TEST(Bind, ListsKnowWhetherTheyTakeNone) {
  EXPECT_FALSE(bound("no_none", "index_put")->arguments[1].takes_none);
  EXPECT_TRUE(bound("with_none", "index_put")->arguments[1].takes_none);
}

TEST(Bind, WhatDoesNotFitIsNotBound) {
  for (const std::string name :
       {"writes_its_index", "lacks_one", "wants_more", "returns_two", "wrong_type"}) {
    EXPECT_FALSE(bound(name, "index_select")) << name;
  }
  EXPECT_FALSE(bound("writes_two", "scatter_add"));
  EXPECT_FALSE(bound("in_place_", "index_select")) << "index_select has no in-place variant";
}

TEST(Bind, AWrongSchemaGivesASentence) {
  const std::vector<std::string> names{"bind_test::too_many"};
  const OperatorInfo* const op = find_operator("index_select");
  const std::string error = resolve(names, {&op, 1}).error;
  EXPECT_THAT(error, HasSubstr("bind_test::too_many"));
  EXPECT_THAT(
      error,
      HasSubstr("expected aten::index_select(Tensor self, int dim, Tensor index) -> Tensor"));
}

}  // namespace
}  // namespace indexfuzz
