// Names of implementations find what they name, or are answered with what is wrong about them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ops/definition/operator.h"
#include "run/call/implementation.h"

namespace indexfuzz {
namespace {

TEST(ImplementationNames, TwoNamesOfOneImplementationAddItOnce) {
  const std::vector<std::string> names{"aten", "form:gather_as_index", "aten:cpu",
                                       "form:gather_as_index"};
  const Resolved resolved = resolve(names, operators());
  ASSERT_EQ(resolved.error, "");
  ASSERT_EQ(resolved.implementations.size(), 2u);
  EXPECT_EQ(resolved.implementations[0].name, "aten:cpu");
  EXPECT_EQ(resolved.implementations[1].name, "form:gather_as_index");
}

TEST(ImplementationNames, UnknownNamesAreAnswered) {
  const auto error_of = [](const std::string& name) {
    return resolve(std::span(&name, 1), operators()).error;
  };
  EXPECT_NE(error_of("form:gather_as_indx").find("did you mean form:gather_as_index"),
            std::string::npos);
  EXPECT_NE(error_of("form:").find("there are"), std::string::npos);
  const OperatorInfo* gather = find_operator("gather");
  const std::string other = "form:masked_fill_as_where";
  EXPECT_EQ(resolve(std::span(&other, 1), std::span(&gather, 1)).error,
            "form:masked_fill_as_where computes masked_fill, but only gather is tested here: leave "
            "it out, or test that operator as well");
}

std::string error_of(const std::string& name, std::span<const OperatorInfo* const> tested) {
  return resolve(std::span(&name, 1), tested).error;
}

TEST(ImplementationNames, BatchingRulesThatCannotBeTestedAreAnswered) {
  EXPECT_EQ(error_of("vmap:mine", operators()),
            "a batching rule is that of one kernel: write vmap:mine::NAME");
  EXPECT_EQ(error_of("vmap:aten::gather", operators()),
            "vmap:aten::gather: PyTorch's own operators are tested by form:vmap");
  // What calls an operator on copies has kernels for devices only.
  EXPECT_EQ(error_of("form:contiguous", operators()), "");
  EXPECT_THAT(error_of("vmap:indexfuzz_contiguous::gather", operators()),
              testing::HasSubstr("registers no batching rule"));
}

TEST(ImplementationNames, AWrongNameIsSaidToBeWrongWhereThereIsNoGpu) {
  const OperatorInfo* take = find_operator("take");
  EXPECT_EQ(error_of("form:contiguous", operators()), "");  // registers kernels for GPUs, too
  EXPECT_EQ(error_of("indexfuzz_contiguous::gather@cuda:1", operators()),
            "indexfuzz_contiguous::gather@cuda:1: there is no such GPU here");
  EXPECT_THAT(error_of("indexfuzz_contiguous::gathr@cuda:1", operators()),
              testing::HasSubstr("is not registered"));
  EXPECT_THAT(error_of("indexfuzz_contiguous::gather@cuda:1", std::span(&take, 1)),
              testing::HasSubstr("only take is tested here"));
}

TEST(ImplementationNames, MetaFunctionsThatCannotBeTestedAreAnswered) {
  EXPECT_EQ(error_of("indexfuzz_contiguous::gather@meta", operators()),
            "indexfuzz_contiguous::gather registers no meta function: register one for the Meta "
            "dispatch key, in Python by register_fake");
  EXPECT_THAT(error_of("mine::gather@meta", operators()), testing::HasSubstr("is not registered"));
  EXPECT_EQ(error_of("mine@meta", operators()),
            "a meta function is that of one kernel: write mine::NAME@meta");
}

TEST(ImplementationNames, GradientsThatCannotBeTestedAreAnswered) {
  const OperatorInfo *gather = find_operator("gather"), *take = find_operator("take");
  EXPECT_EQ(error_of("gradient:aten::gather", std::span(&gather, 1)), "");
  EXPECT_EQ(error_of("gradient:aten::gather", std::span(&take, 1)),
            "gradient:aten::gather computes gather or scatter_add, but only take is tested here: "
            "leave it out, or test that operator as well");
  EXPECT_EQ(error_of("gradient:mine", operators()),
            "a gradient is that of one kernel: write gradient:mine::NAME");
  EXPECT_THAT(error_of("gradient:aten::gathr", operators()),
              testing::HasSubstr("is not registered; did you mean aten::gather?"));
  EXPECT_EQ(error_of("gradient:aten::stack", operators()), "");
  EXPECT_EQ(error_of("gradient:aten::stack", std::span(&gather, 1)),
            "gradient:aten::stack computes stack, but only gather is tested here: leave it out, or "
            "test that operator as well");
  EXPECT_THAT(error_of("gradient:aten::nonzero", operators()),
              testing::EndsWith("unfold_backward, where the gradients are, not of nonzero"));
  EXPECT_THAT(error_of("gradients:aten::gather", operators()),
              testing::HasSubstr("is not an implementation: use aten:cpu"));
  // What computes a gradient has none itself.
  EXPECT_EQ(error_of("gradient:aten::gather", operators()), "");
  const OperatorInfo* scatter_add = find_operator("scatter_add");
  EXPECT_THAT(error_of("gradient:indexfuzz_gradient::aten_gather", std::span(&scatter_add, 1)),
              testing::HasSubstr("registers no gradient; register one for the Autograd"));
}

}  // namespace
}  // namespace indexfuzz
