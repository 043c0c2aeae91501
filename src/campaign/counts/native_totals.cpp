#include "campaign/counts/native_totals.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "run/shared/text_in.h"

namespace indexfuzz {
namespace {

BlockCount& operator+=(BlockCount& sum, const BlockCount& more) {
  sum.known += more.known;
  sum.reached += more.reached;
  return sum;
}

}  // namespace

NativeTotals add_up(const NativeCoverageMap& map) {
  NativeTotals totals;
  totals.error = text_in(map.error);
  totals.skipped = map.skipped;
  // A kernel may have written over it.
  const std::uint32_t functions = std::min(map.functions, kMaxNativeFunctions),
                      blocks = std::min(map.blocks, kMaxNativeBlocks);
  for (std::uint32_t f = 0; f < functions; ++f) {
    const NativeFunction& function = map.function[f];
    totals.functions.push_back(
        {text_in(function.name), function.parts, 0, function.under_test != 0, {}});
  }
  bool entered = false;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    if (map.function_of[b] >= functions) continue;
    NativeFunctionTotals& function = totals.functions[map.function_of[b]];
    const bool reached = map.reached[b].load(std::memory_order_relaxed) != 0;
    if (map.begins_part[b] != 0) entered = false;
    if (reached && !entered) ++function.entered;
    entered |= reached;
    function.blocks.known += 1;
    function.blocks.reached += reached;
  }
  std::ranges::sort(totals.functions, {}, &NativeFunctionTotals::name);
  for (NativeFunctionTotals& function : totals.functions)
    function.under_test = function.under_test || function.blocks.reached > 0;
  count_blocks(totals);
  return totals;
}

void count_blocks(NativeTotals& totals) {
  totals.blocks = totals.under_test = {};
  for (const NativeFunctionTotals& function : totals.functions) {
    totals.blocks += function.blocks;
    if (function.under_test) totals.under_test += function.blocks;
  }
}

nlohmann::ordered_json native_json(const NativeTotals& totals) {
  if (!totals.error.empty()) return {{"error", totals.error}};
  nlohmann::ordered_json functions = nlohmann::ordered_json::array();
  for (const NativeFunctionTotals& function : totals.functions) {
    functions.push_back({{"name", function.name},
                         {"parts", function.parts},
                         {"entered", function.entered},
                         {"under_test", function.under_test},
                         {"known", function.blocks.known},
                         {"reached", function.blocks.reached}});
  }
  return {
      {"blocks_known", totals.blocks.known},
      {"blocks_reached", totals.blocks.reached},
      {"under_test", {{"known", totals.under_test.known}, {"reached", totals.under_test.reached}}},
      {"functions", functions},
      {"skipped_functions", totals.skipped}};
}

NativeTotals parse_native(const nlohmann::ordered_json& json) {
  NativeTotals totals;
  totals.error = json.value("error", "");
  if (!totals.error.empty()) return totals;
  totals.blocks = {json.at("blocks_known"), json.at("blocks_reached")};
  totals.under_test = {json.at("under_test").at("known"), json.at("under_test").at("reached")};
  totals.skipped = json.at("skipped_functions");
  for (const auto& function : json.at("functions")) {
    totals.functions.push_back({function.at("name"),
                                function.at("parts"),
                                function.at("entered"),
                                function.at("under_test"),
                                {function.at("known"), function.at("reached")}});
  }
  return totals;
}

}  // namespace indexfuzz
