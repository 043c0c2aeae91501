#pragma once
// The option --error-exitcode, which `fuzz` and `replay` share.

#include <CLI/CLI.hpp>

namespace indexfuzz {

/// What a command ends with instead of 77, which CTest, Automake and Meson may read as "skipped".
struct ErrorExitcode {
  int asked = 77;

  void add_to(CLI::App& command);
  /// Throws SetupError for what no process can end with.
  int code() const;
};

}  // namespace indexfuzz
