#pragma once
// The results of `selftest` as text for people and as JSON for programs.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "cli/trial.h"

namespace indexfuzz {

/// "planted::gather_past_output: memory after 0.01 s, 2 elements"
std::string in_words(const TrialResult& result);
/// A line per kernel, followed by what went wrong with it; then the sums.
std::string selftest_table(std::span<const TrialResult> results);
nlohmann::ordered_json selftest_json(std::span<const TrialResult> results);

}  // namespace indexfuzz
