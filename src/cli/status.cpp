#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "campaign/store/bounded_read.h"
#include "campaign/store/event_log.h"
#include "campaign/store/folder_lock.h"
#include "campaign/store/json_text.h"
#include "campaign/store/summary_file.h"
#include "case/strings/counted.h"
#include "case/strings/printable.h"
#include "cli/commands.h"
#include "cli/summary_text.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

// Limits that keep the output on one screen.
constexpr std::size_t kMostFindings = 12;
constexpr std::size_t kMostEvents = 5;
constexpr std::size_t kMostColumns = 160;

std::string shortened(const std::string& text) {
  const std::string line = printable(text);
  return line.size() > kMostColumns ? std::string(beginning(line, kMostColumns - 3)) + "..." : line;
}

/// "running (process 77)", "done, exit code 77 (new)", "ended without a final summary …".
std::string state_of(const fs::path& folder, const Summary& summary) {
  if (summary.state == "done") {
    return fmt::format("done, exit code {}{}", summary.exit_code,
                       summary.reasons.empty()
                           ? ""
                           : printable(fmt::format(" ({})", fmt::join(summary.reasons, ", "))));
  }
  if (const int owner = lock_owner(folder); owner != 0)
    return fmt::format("running (process {})", owner);
  return "ended without a final summary: it was killed, or its machine went down";
}

void print_findings(const Summary& summary, bool known) {
  const auto count =
      static_cast<std::size_t>(std::ranges::count(summary.findings, known, &SummaryFinding::known));
  if (known && count == 0) return;
  fmt::print("\n{}{}\n", plural(count, "finding"), known ? " that were known" : "");
  std::size_t shown = 0;
  for (const SummaryFinding& finding : summary.findings) {
    if (finding.known != known || shown++ >= kMostFindings) continue;
    fmt::print("{}\n", shortened(fmt::format(
                           "  findings/{}  {} ({}, {}, after {:.1f} s){}", finding.id,
                           finding.signature, finding.reruns, plural(finding.elements, "element"),
                           finding.first_seconds, finding.withdrawn ? " WITHDRAWN" : "")));
  }
  if (shown > kMostFindings) fmt::print("  and {} more\n", shown - kMostFindings);
}

/// Prints the last events of log.jsonl. Lines that are not events are left out.
void print_events(const fs::path& folder) {
  const BoundedText log =
      read_bounded(folder / "log.jsonl", EventLog::kLimit + (1 << 20), Links::kRefuse);
  std::vector<std::string> events;
  std::istringstream lines(log.text);
  for (std::string line; std::getline(lines, line);) {
    const auto event = parse_json(line);
    if (!event.is_object() || !event.contains("event")) continue;
    std::string text;
    for (const auto& [key, value] : event.items())
      text += fmt::format("{}{}", text.empty() ? "" : "  ",
                          value.is_string() ? value.get<std::string>() : key + " " + value.dump());
    events.push_back(shortened("  " + text));
  }
  if (events.empty()) return;
  fmt::print("\nlast events\n");
  for (std::size_t i = events.size() - std::min(events.size(), kMostEvents); i < events.size(); ++i)
    fmt::print("{}\n", events[i]);
}

int status(const fs::path& folder) {
  const Summary summary = read_summary(folder);
  std::error_code error;
  const auto written = fs::last_write_time(folder / "summary.json", error);
  const auto age =
      std::chrono::duration_cast<std::chrono::seconds>(fs::file_time_type::clock::now() - written);
  fmt::print("{}: {}; as of {} s ago\n", printable(folder.string()), state_of(folder, summary),
             error ? 0 : age.count());
  fmt::print("{}\n", fmt::join(totals_in_words(summary), "\n"));
  if (const auto why = why_inconclusive(left_open(summary)); !why.empty())
    fmt::print("\ninconclusive\n  {}\n", fmt::join(why, "\n  "));
  print_findings(summary, false);
  print_findings(summary, true);
  print_events(folder);
  return 0;
}

}  // namespace

void add_status(CLI::App& program, Run& run) {
  CLI::App* command =
      program.add_subcommand("status", "show the state of a running or finished campaign");
  auto folder = std::make_shared<std::string>();
  command->add_option("DIR", *folder, "the --out folder of the campaign")->required();
  command->footer("Example:\n  indexfuzz status indexfuzz-out/20260501-200000");
  command->callback([folder, &run] { run = [folder] { return status(*folder); }; });
}

}  // namespace indexfuzz
