#include "campaign/programs/bisect.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "campaign/failure.h"
#include "campaign/last_line.h"
#include "campaign/programs/program_outcome.h"
#include "campaign/programs/toolchain.h"
#include "campaign/programs/verify.h"
#include "campaign/store/torch_version.h"
#include "campaign/workers/subprocess.h"
#include "case/strings/printable.h"

namespace indexfuzz {
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
  const std::string output = process.output();
  return {python.torch, shown_by(end, output), outcome_line(end, output)};
}

std::vector<std::pair<std::size_t, std::size_t>> changes(std::span<const TriedVersion> tried) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (tried[i].shown == Shown::kCannotTell) continue;
    if (last && tried[*last].shown != tried[i].shown) found.emplace_back(*last, i);
    last = i;
  }
  return found;
}

bool any_conclusive(std::span<const TriedVersion> tried) {
  return std::ranges::any_of(
      tried, [](const TriedVersion& one) { return one.shown != Shown::kCannotTell; });
}

}  // namespace indexfuzz
