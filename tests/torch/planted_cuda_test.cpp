// What the catalogue of the kernels for CUDA promises, as far as it shows without a GPU.

#include <ATen/core/dispatch/Dispatcher.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "campaign/catalogue.h"
#include "indexfuzz_config.h"
#include "ops/definition/operator.h"
#include "run/call/libraries.h"
#include "run/call/plan.h"

namespace indexfuzz {
namespace {

using testing::AnyOf;

const std::string kPlugin = std::string(config::kBuildDir) + "/libindexfuzz_planted_cuda.so";

std::vector<PlantedKernel> catalogue() {
  return read_catalogue(std::string(config::kSourceDir) + "/src/planted/cuda/catalogue.toml");
}

TEST(PlantedCuda, EveryKernelIsRegisteredForCudaWithTheSchemaOfItsOperator) {
  if (!std::filesystem::exists(kPlugin)) GTEST_SKIP() << "built without CUDA";
  ASSERT_EQ(load_library(kPlugin), "");
  std::set<std::string> catalogued;
  for (const PlantedKernel& kernel : catalogue()) {
    SCOPED_TRACE(kernel.name);
    EXPECT_TRUE(catalogued.insert(kernel.name).second) << "catalogued twice";
    const std::size_t dot = kernel.name.find('.');
    const auto handle = c10::Dispatcher::singleton().findSchema(
        {kernel.name.substr(0, dot), dot == std::string::npos ? "" : kernel.name.substr(dot + 1)});
    ASSERT_TRUE(handle.has_value());
    EXPECT_TRUE(handle->hasKernelForDispatchKey(c10::DispatchKey::CUDA));
    const OperatorInfo* op = find_operator(kernel.op);
    ASSERT_NE(op, nullptr);
    const std::vector<Plan> plans = bind(*handle, *op);
    ASSERT_FALSE(plans.empty()) << handle->schema();
    EXPECT_EQ(plans.front().variant, kernel.name.ends_with('_')      ? Variant::kInPlace
                                     : kernel.name.ends_with(".out") ? Variant::kOut
                                                                     : Variant::kFunctional);
  }
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (!name.name.starts_with("planted_cuda::") && !name.name.starts_with("correct_cuda::"))
      continue;
    const std::string full =
        name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
    EXPECT_TRUE(catalogued.contains(full)) << full << " is in no catalogue";
  }
}

TEST(PlantedCuda, TheCatalogueHoldsEnoughOfBothKinds) {
  int planted = 0, correct = 0;
  for (const PlantedKernel& kernel : catalogue()) {
    SCOPED_TRACE(kernel.name);
    EXPECT_EQ(kernel.name.starts_with("correct_cuda::"), kernel.correct);
    ++(kernel.correct ? correct : planted);
    EXPECT_THAT(kernel.needs, AnyOf("", "two devices", "pending work", "deterministic algorithms",
                                    "large strides", "value on the host"));
    if (!kernel.correct) {
      EXPECT_GT(kernel.elements, 0);
    }
  }
  EXPECT_GE(planted, 32);
  EXPECT_GE(correct, 8);
}

}  // namespace
}  // namespace indexfuzz
