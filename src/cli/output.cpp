#include "cli/output.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "campaign/failure.h"
#include "campaign/store/store.h"
#include "case/strings/printable.h"

namespace indexfuzz {

namespace fs = std::filesystem;

namespace {

/// Where a chain of links leads, even if nothing lies there yet.
fs::path behind_links(fs::path file) {
  constexpr int kMostLinks = 40;  // as Linux follows
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(file, error); ++i)
    file = file.parent_path() / fs::read_symlink(file, error);
  return file;
}

}  // namespace

void write_output(const std::string& file, const std::string& text) {
  if (file.empty() || file == "-") {
    fmt::print("{}", text);
    if (std::fflush(stdout) != 0) throw StorageError("cannot write to standard output.");
  } else if (std::error_code error; fs::exists(file, error) && !fs::is_regular_file(file, error)) {
    // Write to a device or a FIFO: write_whole() would replace it.
    std::ofstream stream(file, std::ios::binary);
    if (!(stream << text << std::flush))
      throw StorageError(fmt::format("cannot write to {}.", printable(file)));
  } else {
    write_whole(behind_links(file), text);
  }
}

}  // namespace indexfuzz
