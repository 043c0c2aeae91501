#pragma once
// The lines of log.jsonl on suspects that become no finding, and on batches that broke a GPU.

#include <cstdint>
#include <string_view>

#include "campaign/hello.h"
#include "campaign/store/store.h"
#include "campaign/workers/workers.h"

namespace indexfuzz {

/// `event`: "unconfirmed", "cut off". `runs`: how many re-runs have shown nothing.
void log_suspect(Store& store, std::string_view event, const Suspect& suspect, const Hello& hello,
                 std::uint64_t seed, int runs);
/// Logs a batch that broke a GPU, though no single case of it does.
void log_unlocated(Store& store, const Suspect& batch, std::uint64_t seed);
/// Logs the case of a batch that broke a GPU.
void log_located(Store& store, const Suspect& located, const Hello& hello);

}  // namespace indexfuzz
