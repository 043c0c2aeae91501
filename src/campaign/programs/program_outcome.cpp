#include "campaign/programs/program_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "campaign/failure.h"
#include "campaign/last_line.h"
#include "case/strings/printable.h"
#include "case/strings/trimmed.h"

namespace indexfuzz {
namespace {

// How a reproducer that saw a wrong result ends, what it prints, and how one that cannot tell ends.
constexpr ProgramEnd kWrong{ProgramEnd::How::kExited, 1};
constexpr std::string_view kWrongMark = "WRONG: ";
constexpr ProgramEnd kCannotTell{ProgramEnd::How::kExited, 125};

}  // namespace

Verified verified_by(const ProgramEnd& end, std::string_view output) {
  if (end == kWrong && output.find(kWrongMark) != std::string_view::npos) return Verified::kFails;
  if (end == kCannotTell) return Verified::kCannotTell;
  if (end == kNotStarted) return Verified::kCannotRun;
  return end.is_success() ? Verified::kPasses : Verified::kEndsOtherwise;
}

std::string_view in_words(Shown shown) {
  switch (shown) {
    case Shown::kRight: return "right";
    case Shown::kWrong: return "wrong";
    case Shown::kCannotTell: return "cannot tell";
  }
  return "";
}

Shown shown_by(const ProgramEnd& end, std::string_view output) {
  switch (verified_by(end, output)) {
    case Verified::kPasses: return Shown::kRight;
    case Verified::kFails: return Shown::kWrong;
    case Verified::kEndsOtherwise:
      return end.how == ProgramEnd::How::kSignalled ? Shown::kWrong : Shown::kCannotTell;
    case Verified::kNotRun:
    case Verified::kCannotTell:
    case Verified::kCannotRun: return Shown::kCannotTell;
  }
  return Shown::kCannotTell;
}

std::string outcome_line(const ProgramEnd& end, const std::string& output) {
  constexpr std::string_view kActual = "\nactual:";
  constexpr std::size_t kMostOfActual = 80;
  std::string line = last_line(output);
  if (end.how != ProgramEnd::How::kExited || line.empty()) return in_words(end);
  // What a child wrote as it died may stand before it.
  line.erase(0, line.find(kWrongMark) == std::string::npos ? 0 : line.find(kWrongMark));
  const std::size_t actual = output.rfind(kActual);
  if (actual == std::string::npos) return line;
  std::string came_back = output.substr(actual + kActual.size());
  came_back.erase(std::min(came_back.find('\n'), came_back.size()));
  came_back = printable(trimmed(came_back));
  const bool is_long = came_back.size() > kMostOfActual;
  return fmt::format("{}; actual: {}{}", line, beginning(came_back, kMostOfActual),
                     is_long ? "..." : "");
}

ProgramEnd wait_for(Subprocess& process, const StopSignals& signals) {
  while (true) {
    if (const auto end = process.poll()) return *end;
    if (signals.arrived()) throw Interruption();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace indexfuzz
