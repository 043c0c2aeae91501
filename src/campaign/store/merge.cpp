#include "campaign/store/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "campaign/counts/native_totals.h"
#include "campaign/exit_code.h"
#include "campaign/store/bounded_read.h"
#include "campaign/store/case_file.h"
#include "campaign/store/folder_entries.h"
#include "campaign/store/json_text.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t kMostFileBytes = 4 << 20;
constexpr std::size_t kMostFindingFiles = 32;

bool is_real_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(path, error));
}

/// The entries of a folder without hidden names; none if it is not a folder or is a link.
std::vector<fs::path> shown_entries_of(const fs::path& folder) {
  if (!is_real_folder(folder)) return {};
  std::vector<fs::path> entries = entries_of(folder);
  std::erase_if(entries,
                [](const fs::path& entry) { return entry.filename().string().starts_with('.'); });
  return entries;
}

void merge_finding(const fs::path& finding, Store& into, Merged& merged) {
  std::error_code error;
  if (fs::exists(into.finding(finding.filename()) / "finding.json", error)) {
    ++merged.known_ids;
    return;
  }
  std::map<std::string, std::string> files;
  for (const fs::path& file : shown_entries_of(finding)) {
    BoundedText read = read_bounded(file, kMostFileBytes, Links::kRefuse);
    if (!read.is_read() || files.size() == kMostFindingFiles) {
      ++merged.aside;
    } else {
      files[file.filename()] = std::move(read.text);
    }
  }
  if (!files.contains("finding.json") || !files.contains("minimal.case")) {
    ++merged.aside;
  } else {
    into.save_finding(finding.filename(), files);
    ++merged.findings;
  }
}

void merge_corpus(const fs::path& op, Store& into, Merged& merged) {
  for (const fs::path& file : shown_entries_of(op)) {
    const BoundedText read = read_bounded(file, kMostCaseBytes, Links::kRefuse);
    if (!read.is_read() || file.extension() != ".case") {
      ++merged.aside;
    } else if (into.save_corpus(op.filename(), file.filename(), read.text)) {
      ++merged.inputs;
    } else if (!into.trouble().empty()) {
      throw StorageError(into.trouble());
    } else {
      ++merged.same_inputs;
    }
  }
}

/// Adds the numbers of one object to those of another, at all depths.
void add_numbers(ordered_json& sum, const ordered_json& more) {
  for (const auto& [key, value] : more.items()) {
    if (value.is_object()) {
      if (!sum[key].is_object()) sum[key] = ordered_json::object();
      add_numbers(sum[key], value);
    } else if (value.is_number_unsigned()) {
      sum[key] = (sum[key].is_number_unsigned() ? sum[key].get<std::uint64_t>() : 0) +
                 value.get<std::uint64_t>();
    }
  }
}

/// The means of the shares, weighted by the cases drawn.
ordered_json merge_mix(const std::vector<Summary>& shards) {
  constexpr double kMost = 1e15;  // a damaged file may hold any number
  ordered_json mix = ordered_json::object();
  std::map<std::string, double> drawn_with;
  double all = 0;
  for (const Summary& shard : shards) {
    const ordered_json part = shard.json.value("mix", ordered_json::object());
    if (!part.is_object() || !part.contains("drawn") || !part["drawn"].is_number()) continue;
    const double drawn = std::clamp(part["drawn"].get<double>(), 0.0, kMost);
    all += drawn;
    for (const auto& [key, value] : part.items()) {
      if (key == "drawn" || !value.is_number()) continue;
      const double number = std::clamp(value.get<double>(), 0.0, kMost);
      const double before = mix.contains(key) ? mix[key].get<double>() : 0;
      double& weight = drawn_with[key];
      weight += drawn;
      mix[key] = before + (weight > 0 ? (number - before) * drawn / weight : 0);
    }
  }
  for (auto& [key, value] : mix.items()) {
    value = key == "median_elements" ? ordered_json(std::llround(value.get<double>()))
                                     : ordered_json(rounded(value.get<double>(), 1e4));
  }
  mix["drawn"] = static_cast<std::uint64_t>(all);
  return mix;
}

/// Each id once, with its earliest row. Known only if every shard that has it knew it, withdrawn
/// only if every one of them withdrew it.
ordered_json merge_findings(const std::vector<Summary>& shards) {
  std::map<std::string, ordered_json> by_id;
  for (const Summary& shard : shards) {
    for (const ordered_json& row : shard.json.value("findings", ordered_json::array())) {
      const auto [place, first] = by_id.try_emplace(row.value("id", ""), row);
      if (first) continue;
      ordered_json& kept = place->second;
      const ordered_json other = row.value("first_seconds", 0.0) < kept.value("first_seconds", 0.0)
                                     ? std::exchange(kept, row)
                                     : row;
      for (const char* const field : {"known", "withdrawn"})
        kept[field] = kept.value(field, false) && other.value(field, false);
      for (const char* const field : {"repro_py_verified", "repro_cpp_verified"}) {
        const ordered_json verified = other.value(field, ordered_json());
        if (verified == true || kept.value(field, ordered_json()).is_null()) kept[field] = verified;
      }
    }
  }
  std::vector<ordered_json> rows;
  for (const auto& [id, row] : by_id) rows.push_back(row);
  std::ranges::stable_sort(rows, {},
                           [](const auto& row) { return row.value("first_seconds", 0.0); });
  return rows;
}

/// The shard's reasons that this release knows.
std::vector<Reason> known_reasons(const Summary& shard) {
  std::vector<Reason> reasons;
  for (const std::string& name : shard.reasons) {
    if (const auto reason = reason_of(name)) reasons.push_back(*reason);
  }
  return reasons;
}

/// The worst code of all shards. Findings count with the code that --error-exitcode gave them in
/// the first shard that ended with one.
int merge_exit_codes(const std::vector<Summary>& shards) {
  constexpr int kFinding = -1;
  std::vector<Reason> all;
  std::optional<int> finding;
  for (const Summary& shard : shards) {
    const std::vector<Reason> reasons = known_reasons(shard);
    all.insert(all.end(), reasons.begin(), reasons.end());
    if (!finding && exit_code(reasons, kFinding) == kFinding) finding = shard.exit_code;
  }
  return finding ? exit_code(all, *finding) : exit_code(all);
}

/// None if the shard has no native coverage, or none in the form that native_json() writes.
std::optional<NativeTotals> native_of(const Summary& shard) {
  if (!shard.json.contains("native_coverage")) return std::nullopt;
  try {
    return parse_native(shard.json["native_coverage"]);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

/// Counts for each function the blocks of the shard that reached most of them, since summaries do
/// not say which blocks were reached. None if no shard has native coverage.
std::optional<NativeTotals> merge_native(const std::vector<Summary>& shards) {
  std::optional<NativeTotals> merged;
  std::map<std::string, NativeFunctionTotals> by_name;
  for (const Summary& shard : shards) {
    const auto native = native_of(shard);
    if (!native) continue;
    const NativeTotals& totals = *native;
    if (!merged || !merged->error.empty()) merged = totals;
    for (const NativeFunctionTotals& function : totals.functions) {
      NativeFunctionTotals& kept = by_name.try_emplace(function.name, function).first->second;
      kept.entered = std::max(kept.entered, function.entered);
      kept.under_test |= function.under_test;
      kept.blocks.reached = std::max(kept.blocks.reached, function.blocks.reached);
    }
  }
  if (!merged || !merged->error.empty()) return merged;
  merged->functions.clear();
  for (auto& [name, function] : by_name) merged->functions.push_back(std::move(function));
  count_blocks(*merged);
  return merged;
}

template <typename Field>
ordered_json distinct(const std::vector<Summary>& shards, Field&& field) {
  ordered_json values = ordered_json::array();
  for (const Summary& shard : shards) {
    const ordered_json value = field(shard);
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  return values;
}

}  // namespace

void merge_folder(const fs::path& shard, Store& into, Merged& merged) {
  for (const fs::path& finding : shown_entries_of(shard / "findings")) {
    if (is_real_folder(finding)) {
      merge_finding(finding, into, merged);
    } else {
      ++merged.aside;
    }
  }
  for (const fs::path& op : shown_entries_of(shard / "corpus")) {
    if (is_real_folder(op)) {
      merge_corpus(op, into, merged);
    } else {
      ++merged.aside;
    }
  }
}

ordered_json merge_summaries(const std::vector<Summary>& shards) {
  ordered_json implementations = ordered_json::object(), engines = ordered_json::object();
  std::set<std::string> reasons, unverified;
  Summary sums;
  double seconds = 0, rate = 0, offered = 0;
  bool running = false;
  for (const Summary& shard : shards) {
    add_numbers(implementations, shard.json.value("implementations", ordered_json::object()));
    add_numbers(engines, shard.json.value("engines", ordered_json::object()));
    reasons.insert(shard.reasons.begin(), shard.reasons.end());
    unverified.insert(shard.unverified.begin(), shard.unverified.end());
    sums.cases += shard.cases;
    for (const auto& [key, count] : kKeyedCounts) sums.*count += shard.*count;
    sums.steered += shard.steered;
    offered += shard.steered_share > 0 ? static_cast<double>(shard.steered) / shard.steered_share
                                       : static_cast<double>(shard.cases);
    seconds = std::max(seconds, shard.seconds);
    rate += shard.cases_per_second;
    running |= shard.state != "done";
  }
  const double share = offered > 0 ? static_cast<double>(sums.steered) / offered : 0;
  ordered_json merged{
      {"format", kSummaryFormat},
      {"state", running ? "running" : "done"},
      {"seconds", seconds},
      {"cases", sums.cases},
      {"cases_per_second", rounded(rate, 10)},
      {"exit_code", merge_exit_codes(shards)},
      {"reasons", reasons},
      {"unverified", unverified},
      {"seed", shards.empty() ? 0 : shards.front().seed},
      {"shards", shards.size()},
      {"seeds", distinct(shards, [](const Summary& s) { return ordered_json(s.seed); })},
      {"torch",
       fmt::format(
           "{}", fmt::join(distinct(shards, [](const Summary& s) { return ordered_json(s.torch); })
                               .get<std::vector<std::string>>(),
                           ", "))},
      {"mix", merge_mix(shards)},
      {"engines", engines},
      {"implementations", implementations},
      {"findings", merge_findings(shards)},
      {"steered", {{"cases", sums.steered}, {"share", rounded(share, 1e4)}}}};
  for (const auto& [key, count] : kKeyedCounts) merged[key] = sums.*count;
  if (const auto native = merge_native(shards)) merged["native_coverage"] = native_json(*native);
  return merged;
}

}  // namespace indexfuzz
