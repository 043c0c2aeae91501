#include "campaign/counts/native_totals.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

namespace indexfuzz {
namespace {

/// Three functions with three blocks each: one of an operator under test, two of another, of which
/// one was reached.
std::unique_ptr<NativeCoverageMap> three_functions() {
  auto map = std::make_unique<NativeCoverageMap>();
  map->functions = 3;
  map->blocks = 9;
  const char* const names[] = {"take_kernel", "cpu_scatter_kernel", "put_kernel"};
  for (std::uint16_t f = 0; f < 3; ++f) {
    std::strcpy(map->function[f].name, names[f]);
    map->function[f].parts = 1;
    map->function[f].under_test = f == 0;
    for (int b = 0; b < 3; ++b) map->function_of[f * 3 + b] = f;
    map->begins_part[f * 3] = 1;
  }
  // The scatter kernel is in two parts; the second one was not entered.
  map->function[1].parts = 2;
  map->begins_part[5] = 1;
  map->reached[0] = map->reached[3] = map->reached[4] = 1;
  return map;
}

TEST(NativeTotals, AFunctionThatWasReachedIsUnderTest) {
  const NativeTotals totals = add_up(*three_functions());
  EXPECT_EQ(totals.blocks.known, 9u);
  EXPECT_EQ(totals.blocks.reached, 3u);
  EXPECT_EQ(totals.under_test.known, 6u);
  EXPECT_EQ(totals.under_test.reached, 3u);
  ASSERT_EQ(totals.functions.size(), 3u);
  EXPECT_EQ(totals.functions[0].name, "cpu_scatter_kernel");
  EXPECT_TRUE(totals.functions[0].under_test);
  EXPECT_EQ(totals.functions[0].blocks.reached, 2u);
  EXPECT_EQ(totals.functions[0].parts, 2u);
  EXPECT_EQ(totals.functions[0].entered, 1u);
  EXPECT_EQ(totals.functions[1].entered, 0u);
  EXPECT_FALSE(totals.functions[1].under_test);
}

TEST(NativeTotals, GoThroughTheSummaryUnchanged) {
  const NativeTotals totals = add_up(*three_functions());
  const auto json = native_json(totals);
  EXPECT_EQ(native_json(parse_native(nlohmann::json::parse(json.dump()))), json);
  NativeTotals none;
  none.error = "native coverage is off: reasons.";
  EXPECT_EQ(parse_native(native_json(none)).error, none.error);
}

TEST(NativeTotals, AreSoundWhateverAKernelHasWrittenOverTheMap) {
  auto map = std::make_unique<NativeCoverageMap>();
  std::memset(static_cast<void*>(map.get()), 0xFF, sizeof *map);
  map->error[sizeof map->error - 1] = '\0';
  for (NativeFunction& function : map->function) function.name[sizeof function.name - 1] = '\0';
  EXPECT_EQ(add_up(*map).functions.size(), std::size_t{kMaxNativeFunctions});
}

}  // namespace
}  // namespace indexfuzz
