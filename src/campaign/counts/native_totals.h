#pragma once
// How much of LibTorch's indexing code a campaign has reached so far.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "run/shared/native_map.h"

namespace indexfuzz {

struct BlockCount {
  std::uint64_t known = 0;
  std::uint64_t reached = 0;
};

struct NativeFunctionTotals {
  std::string name;
  std::uint32_t parts = 0;    ///< instantiations, lambdas and pieces that the compiler split off
  std::uint32_t entered = 0;  ///< parts with at least one block that was reached
  /// Whether it is code of an operator that was asked for: by its name, or because it was reached.
  bool under_test = false;
  BlockCount blocks;
};

struct NativeTotals {
  std::string error;                            ///< one sentence if nothing could be observed
  std::vector<NativeFunctionTotals> functions;  ///< by name
  std::uint64_t skipped = 0;                    ///< pieces of code that have no known block
  BlockCount blocks;                            ///< of all functions
  BlockCount under_test;
};

/// Adds up the map, which the children may go on writing meanwhile.
NativeTotals add_up(const NativeCoverageMap& map);
/// Sums the blocks of all functions.
void count_blocks(NativeTotals& totals);

/// For summary.json: {"blocks_known", "blocks_reached", "under_test": {"known", "reached"},
/// "functions": [{"name", "parts", "entered", "under_test", "known", "reached"}],
/// "skipped_functions"}, or {"error"}.
nlohmann::ordered_json native_json(const NativeTotals& totals);
/// The totals of a summary.json's "native_coverage". Throws nlohmann's exception for another.
NativeTotals parse_native(const nlohmann::ordered_json& json);

}  // namespace indexfuzz
