#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "case/strings/counted.h"
#include "case/strings/printable.h"
#include "cli/closing.h"

namespace indexfuzz {
namespace {

constexpr std::chrono::milliseconds kLive{200};
constexpr std::chrono::seconds kPlain{10};

bool is_terminal() {
  const char* term = getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && (term == nullptr || std::string_view(term) != "dumb");
}

bool coloured() {
  const char* no_color = getenv("NO_COLOR");
  return is_terminal() && (no_color == nullptr || *no_color == '\0');
}

std::size_t columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

/// Ignores errors: a campaign goes on even if it cannot print, such as to a log on a full disk.
void show(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

/// For some kinds, the message of the verdict, if the signature does not contain it: such as which
/// shape or dtype is wrong, or where the kernel wrote.
std::string in_detail(const Finding& finding) {
  const std::string message = printable(finding.verdict.message.data());
  const Kind kind = finding.verdict.kind;
  const bool has_detail = (kind == Kind::kMetadata || kind == Kind::kMemory ||
                           kind == Kind::kInput || kind == Kind::kCrash) &&
                          !message.empty() &&
                          finding.signature.text.find(message) == std::string::npos;
  return has_detail && !finding.known ? fmt::format(": {}", message) : "";
}

}  // namespace

Progress::Progress(std::filesystem::path folder, std::vector<std::string> operators,
                   std::uint64_t seed, bool strict)
    : folder_(std::move(folder)),
      operators_(std::move(operators)),
      seed_(seed),
      strict_(strict),
      terminal_(is_terminal()) {}

void Progress::line(const std::string& text) {
  clear_live_line();
  show(text + "\n");
}

void Progress::clear_live_line() {
  if (live_) show("\r\033[K");
  live_ = false;
}

void Progress::update(const CampaignStatus& status) {
  if (!opening_.empty()) line(std::exchange(opening_, ""));
  const auto now = std::chrono::steady_clock::now();
  if (shown_ == std::chrono::steady_clock::time_point{} && !terminal_) shown_ = now;
  if (now - shown_ < (terminal_ ? std::chrono::milliseconds(kLive) : kPlain)) return;
  shown_ = now;
  const double seconds = status.seconds - rate_from_seconds_;
  const double rate = cases_per_second(status.totals.cases - rate_from_cases_, seconds);
  if (seconds > 5) {
    rate_from_seconds_ = status.seconds;
    rate_from_cases_ = status.totals.cases;
  }
  const auto known = static_cast<std::uint64_t>(
      std::ranges::count_if(status.findings, [](const Finding* f) { return f->known; }));
  std::string text =
      fmt::format("{}: {} cases, ", duration(status.elapsed), grouped(status.totals.cases));
  if (status.drawing && rate > 0)
    text += fmt::format("{}/s, ", grouped(static_cast<std::uint64_t>(rate)));
  text += plural(status.findings.size() - known, "finding");
  if (known > 0) text += fmt::format(", {} known", known);
  if (!status.examined.empty()) {
    text += ", examining " + status.examined;
    if (status.waiting > 0) text += fmt::format(" ({} more waiting)", status.waiting);
  } else if (!status.long_call.empty()) {
    text += ", " + status.long_call;
  }
  if (status.checking > 0) {
    text += status.drawing ? fmt::format(", checking {}", plural(status.checking, "reproducer"))
                           : fmt::format("; drawing is over, running the programs of {}",
                                         plural(status.checking, "finding"));
  }
  if (!terminal_) return line(text);
  show(fmt::format("\r{}\033[K", beginning(text, columns() - 1)));
  live_ = true;
}

void Progress::saved(const Finding& finding) {
  announce("saved", finding);
}

void Progress::met_again(const Finding& finding) {
  announce("met again", finding);
}

/// "known", with the ledger's reason the first time that this reason comes up; or that ATen fails
/// in the same way, so that the failure may not be the kernel's own.
std::string Progress::known_as(const Finding& finding) {
  if (!finding.aten_reason.empty()) return ": ATen fails in the same way";
  if (!finding.known) return "";
  const bool is_told = !told_reasons_.insert(finding.reason).second;
  return is_told ? " known" : fmt::format(" known: {}", finding.reason);
}

void Progress::announce(std::string_view what, const Finding& finding) {
  const bool mark = coloured() && !finding.known;
  line(fmt::format("{}{} findings/{}{}  {} ({}, {}){}{}", mark ? "\033[1;31m" : "", what,
                   finding.signature.id, mark ? "\033[0m" : "", finding.signature.text,
                   in_words(finding.reruns),
                   plural(static_cast<std::uint64_t>(total_elements(finding.minimal)), "element"),
                   in_detail(finding), known_as(finding)));
}

void Progress::checked(const Finding& finding, const std::string& note) {
  if (note.empty()) return;
  line(fmt::format("{} findings/{}: {}", withdrawn(finding) ? "withdrawn" : "unchecked",
                   finding.signature.id, note));
}

void Progress::ended(const CampaignStatus& status) {
  clear_live_line();
  std::fputs(closing_text(status, folder_, operators_, seed_, strict_).c_str(), stdout);
}

void Progress::note(const std::string& sentence) {
  line(sentence);
}

}  // namespace indexfuzz
