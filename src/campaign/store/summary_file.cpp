#include "campaign/store/summary_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "campaign/failure.h"
#include "campaign/store/bounded_read.h"
#include "campaign/store/json_text.h"
#include "case/strings/printable.h"

namespace indexfuzz {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostBytes = 64 << 20;
constexpr double kMost = 1e15;  // the largest number that a person is shown

SummaryFinding finding_of(const ordered_json& json) {
  SummaryFinding finding;
  finding.id = json.value("id", "");
  finding.signature = json.value("signature", "");
  finding.reruns = json.value("reruns", "");
  finding.known = json.value("known", false);
  finding.withdrawn = json.value("withdrawn", false);
  finding.elements = json.value("elements", std::int64_t{0});
  finding.first_seconds = json.value("first_seconds", 0.0);
  return finding;
}

void fill(Summary& summary) {
  const ordered_json& json = summary.json;
  summary.state = json.value("state", "");
  summary.torch = json.value("torch", "");
  summary.seconds = std::clamp(json.value("seconds", 0.0), 0.0, kMost);
  summary.cases_per_second = std::clamp(json.value("cases_per_second", 0.0), 0.0, kMost);
  summary.cases = json.value("cases", std::uint64_t{0});
  summary.seed = json.value("seed", std::uint64_t{0});
  for (const auto& [key, count] : kKeyedCounts) summary.*count = json.value(key, std::uint64_t{0});
  summary.exit_code = json.value("exit_code", 0);
  summary.reasons = json.value("reasons", std::vector<std::string>{});
  summary.unverified = json.value("unverified", std::vector<std::string>{});
  if (const auto steered = json.find("steered"); steered != json.end()) {
    summary.steered = steered->value("cases", std::uint64_t{0});
    summary.steered_share = std::clamp(steered->value("share", 0.0), 0.0, 1.0);
  }
  for (const ordered_json& row : json.value("findings", ordered_json::array()))
    summary.findings.push_back(finding_of(row));
}

}  // namespace

Summary read_summary(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "summary.json";
  const BoundedText read = read_bounded(file, kMostBytes, Links::kFollow);
  if (read.unread == Unread::kMissing) {
    throw SetupError(fmt::format("{} holds no campaign: there is no summary.json in it.",
                                 printable(folder.string())));
  }
  if (!read.is_read()) throw SetupError(fmt::format("{} {}.", printable(file.string()), read.why));
  return parse_summary(read.text, file);
}

Summary parse_summary(std::string_view text, const std::filesystem::path& file) {
  const std::string name = printable(file.string());
  Summary summary;
  summary.json = parse_json(text);
  if (!summary.json.is_object())
    throw SetupError(fmt::format("{} is not a JSON object, or it nests too deeply.", name));
  try {
    if (const int format = summary.json.value("format", 0); format != kSummaryFormat) {
      throw SetupError(fmt::format("{} has format {}, this indexfuzz reads format {}{}.", name,
                                   format, kSummaryFormat,
                                   format > kSummaryFormat ? ": update it" : ""));
    }
    fill(summary);
  } catch (const ordered_json::exception& error) {
    throw SetupError(fmt::format("{} is damaged: {}.", name, printable(error.what())));
  }
  return summary;
}

}  // namespace indexfuzz
