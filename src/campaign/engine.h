#pragma once
// What draws the cases of a worker.

#include <cstdint>
#include <string_view>

namespace indexfuzz {

enum class Engine : std::uint8_t {
  kProperty,  ///< cases drawn anew, each a function of its number
  kCoverage,  ///< libFuzzer: cases near those that reached something new
};
inline std::string_view name(Engine engine) {
  switch (engine) {
    case Engine::kProperty: return "property";
    case Engine::kCoverage: return "coverage";
  }
  return "";
}

/// The engines of a campaign: one, or both, between which the workers are divided (a single worker
/// alternates). kRandom, for comparison, is the coverage engine without the mutator for cases.
enum class Engines : std::uint8_t { kProperty, kCoverage, kBoth, kRandom };

}  // namespace indexfuzz
