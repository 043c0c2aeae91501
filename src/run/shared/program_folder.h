#pragma once
// The files that stand beside a program, in a build and in an install.

#include <filesystem>
#include <initializer_list>
#include <system_error>

namespace indexfuzz {

/// The folder of the running program, links followed; "/" if the system does not tell, so that
/// nothing is looked for in the current folder.
inline std::filesystem::path program_folder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return program.empty() ? std::filesystem::path("/") : program.parent_path();
}

/// The first of the paths that is a file, normalized; empty if none is.
inline std::filesystem::path first_file(std::initializer_list<std::filesystem::path> paths) {
  std::error_code error;
  for (const std::filesystem::path& path : paths) {
    if (std::filesystem::is_regular_file(path, error)) return path.lexically_normal();
  }
  return {};
}

}  // namespace indexfuzz
