#include "run/call/backward_requirements.h"

#include <gtest/gtest.h>

#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

// A name that changes would leave its requirement unused.
TEST(BackwardRequirements, AreOfOperatorsWhoseGradientIsTaken) {
  for (const BackwardRequirement& requirement : backward_requirements()) {
    const OperatorInfo* const op = find_operator(requirement.op);
    ASSERT_NE(op, nullptr) << requirement.op;
    EXPECT_NE(op->derivatives, Derivatives::kNone) << requirement.op;
  }
}

}  // namespace
}  // namespace indexfuzz
