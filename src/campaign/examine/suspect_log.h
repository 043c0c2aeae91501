#pragma once
// What log.jsonl says of suspects that become no finding, and of where one was found.

#include <cstdint>
#include <string_view>

#include "campaign/hello.h"
#include "campaign/store/store.h"
#include "campaign/workers/workers.h"

namespace indexfuzz {

/// `event`: "unconfirmed", "cut off". `runs`: so many re-runs have shown nothing.
void log_suspect(Store& store, std::string_view event, const Suspect& suspect, const Hello& hello,
                 std::uint64_t seed, int runs);
/// A batch that broke a GPU, of which no case does so alone.
void log_unlocated(Store& store, const Suspect& batch, std::uint64_t seed);
/// The case of a batch that broke a GPU.
void log_located(Store& store, const Suspect& located, const Hello& hello);

}  // namespace indexfuzz
