#pragma once
// The stand-alone Python program of a case under several versions of PyTorch.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "campaign/programs/program_outcome.h"
#include "campaign/stop_signals.h"

namespace indexfuzz {

struct PythonWithTorch {
  std::string python;  ///< a path, or a name to look up in PATH
  std::string torch;   ///< "2.11.0+cu130"
};

/// What the program showed under one version.
struct TriedVersion {
  std::string torch;
  Shown shown = Shown::kCannotTell;
  std::string line;  ///< as outcome_line()
};

/// Asks each Python for the version of its torch. Throws SetupError for the first one that cannot
/// be run or has no torch, Interruption.
std::vector<PythonWithTorch> ask_for_torch(const std::vector<std::string>& pythons,
                                           const StopSignals& signals);
/// The oldest first; of the same age, in the order in which they are given.
void sort_by_age(std::vector<PythonWithTorch>& pythons);

/// Runs the program, as shown_by() and outcome_line() read it. Throws Interruption.
TriedVersion try_version(const PythonWithTorch& python, const std::filesystem::path& program,
                         const StopSignals& signals);

/// The places in `tried` where right turns into wrong or wrong into right: for each, the last
/// version before and the first one after. Versions that cannot tell are left out.
std::vector<std::pair<std::size_t, std::size_t>> changes(std::span<const TriedVersion> tried);

/// Whether any version could tell right from wrong.
bool any_conclusive(std::span<const TriedVersion> tried);

}  // namespace indexfuzz
