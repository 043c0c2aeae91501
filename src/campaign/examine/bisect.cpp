#include "campaign/examine/bisect.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "campaign/examine/program_outcome.h"
#include "campaign/examine/toolchain.h"
#include "campaign/examine/verify.h"
#include "campaign/failure.h"
#include "campaign/last_line.h"
#include "campaign/store/torch_version.h"
#include "campaign/workers/subprocess.h"
#include "case/printable.h"

namespace indexfuzz {
namespace {

ProgramEnd wait_for(Subprocess& process, const StopSignals& signals) {
  while (true) {
    if (const auto end = process.poll()) return *end;
    if (signals.arrived()) throw Interruption();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// The last line that a program printed, with what it said came back; how it ended, if it did not
/// exit or print any.
std::string line_of(const Subprocess& process, const ProgramEnd& end) {
  constexpr std::string_view kActual = "\nactual:";
  constexpr std::size_t kMostOfActual = 80;
  const std::string output = process.output();
  std::string line = last_line(output);
  if (end.how != ProgramEnd::How::kExited || line.empty()) return in_words(end);
  const std::size_t actual = output.rfind(kActual);
  if (actual == std::string::npos) return line;
  std::string came_back = output.substr(actual + kActual.size());
  came_back.erase(std::min(came_back.find('\n'), came_back.size()));
  came_back.erase(0, came_back.find_first_not_of(' '));
  came_back = printable(came_back);
  const bool is_long = came_back.size() > kMostOfActual;
  return fmt::format("{}; actual: {}{}", line, beginning(came_back, kMostOfActual),
                     is_long ? "..." : "");
}

TriedVersion::Shown read(const ProgramEnd& end, const std::string& output) {
  switch (shown_by(end, output)) {
    case Verified::kRight: return TriedVersion::Shown::kRight;
    case Verified::kYes: return TriedVersion::Shown::kWrong;
    case Verified::kOther:
      return end.how == ProgramEnd::How::kSignalled ? TriedVersion::Shown::kWrong
                                                    : TriedVersion::Shown::kCannotTell;
    case Verified::kPending:
    case Verified::kCannotTell:
    case Verified::kUnknown: return TriedVersion::Shown::kCannotTell;
  }
  return TriedVersion::Shown::kCannotTell;
}

}  // namespace

std::vector<PythonWithTorch> ask_for_torch(const std::vector<std::string>& pythons,
                                           const StopSignals& signals) {
  std::vector<PythonWithTorch> found;
  for (const std::string& python : pythons) {
    const auto fail = [&](const std::string& what) {
      throw SetupError(fmt::format("--python {}: {}; give a Python that can import torch.",
                                   printable(python), what));
    };
    if (!in_path(python)) fail("there is no such program");
    Subprocess process(torch_version_command(python), Verifier::kProgramLimit);
    const ProgramEnd end = wait_for(process, signals);
    const std::string line = last_line(process.output());
    if (!end.is_success())
      fail(fmt::format("`import torch` {}{}{}", in_words(end), line.empty() ? "" : ": ", line));
    if (!release_numbers(line)) fail(fmt::format("it printed '{}' instead of a version", line));
    found.push_back({python, line});
  }
  return found;
}

void sort_by_age(std::vector<PythonWithTorch>& pythons) {
  std::ranges::stable_sort(pythons, is_older, &PythonWithTorch::torch);
}

TriedVersion try_version(const PythonWithTorch& python, const std::filesystem::path& program,
                         const StopSignals& signals) {
  Subprocess process({python.python, program.string()}, Verifier::kProgramLimit);
  const ProgramEnd end = wait_for(process, signals);
  return {python.torch, read(end, process.output()), line_of(process, end)};
}

std::vector<std::pair<std::size_t, std::size_t>> changes(std::span<const TriedVersion> tried) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (tried[i].shown == TriedVersion::Shown::kCannotTell) continue;
    if (last && tried[*last].shown != tried[i].shown) found.emplace_back(*last, i);
    last = i;
  }
  return found;
}

}  // namespace indexfuzz
