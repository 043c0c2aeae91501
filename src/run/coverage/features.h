#pragma once
// What libFuzzer is told about a case, since it sees nothing of libtorch: one counter for each
// combination of traits and outcomes that deserves an input of its own.
//
// The counters lie in the section __libfuzzer_extra_counters, which libFuzzer clears before each
// input and reads after it. Further counters, such as those of native code, need only an array in
// the same section; every byte of it costs time after each input.

#include <cstdint>
#include <span>

#include "case/case.h"
#include "run/coverage/call_outcome.h"

namespace indexfuzz {

inline constexpr std::size_t kFeatures = 1 << 12;

/// One byte per feature, its place found by hashing.
std::span<std::uint8_t> feature_counters();

/// Counts a feature for an input that is not a case. Older libFuzzers give up if none of their
/// first inputs, which are not cases, has a feature.
void count_no_case();
/// Counts the features of a case: operator × form, dtype, layout, rank, sizes near which kernels
/// change path, fills, attributes, the broken rule, and a few pairs of them.
void count_features(const Case& c);
/// Counts how its calls ended: operator × implementation × outcome × form and error class, × dtype.
void count_outcomes(const Case& c, std::span<const CallOutcome> outcomes);

}  // namespace indexfuzz
