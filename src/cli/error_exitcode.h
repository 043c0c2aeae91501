#pragma once
// The option --error-exitcode, which `fuzz` and `replay` share.

#include <CLI/CLI.hpp>

namespace indexfuzz {

/// The exit code in place of 77, which CTest, Automake and Meson may read as "skipped".
struct ErrorExitcode {
  int asked = 77;

  void add_to(CLI::App& command);
  /// Throws SetupError if it is not in 0 to 255.
  int code() const;
};

}  // namespace indexfuzz
