#pragma once
// Merges the campaigns of several machines into one.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "campaign/store/store.h"
#include "campaign/store/summary_file.h"

namespace indexfuzz {

/// What was copied, and what was not.
struct Merged {
  std::size_t findings = 0;   ///< put in place
  std::size_t known_ids = 0;  ///< that were there already, from another shard
  std::size_t inputs = 0;     ///< corpus files put in place
  /// Of a name that was there already, or beyond the operator's limit.
  std::size_t same_inputs = 0;
  std::size_t aside = 0;  ///< links, devices, huge files, other than case files among the inputs
};

/// Copies findings and corpora of a campaign's folder into a store, and keeps what lies there. The
/// folder may be hostile: no link in it is followed. Throws StorageError.
void merge_folder(const std::filesystem::path& shard, Store& into, Merged& merged);

/// One summary of all. Counts are added up; a finding of several shards is listed once, with its
/// earliest time; `seconds` is the longest. `mix` is averaged, weighted by the cases drawn. So is
/// its median, which is therefore only near the median of all cases.
nlohmann::ordered_json merge_summaries(const std::vector<Summary>& shards);

}  // namespace indexfuzz
