#include "campaign/temporary_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <system_error>

#include "campaign/failure.h"
#include "campaign/store/bounded_read.h"

namespace indexfuzz {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& place, const std::error_code& why) {
  throw SetupError(
      fmt::format("no folder can be made in {}, where temporary files go: {}; set TMPDIR to a "
                  "folder that can be written.",
                  printable(place.string()), why.message()));
}

fs::path place_of_temporary_files() {
  try {
    return fs::temp_directory_path();
  } catch (const fs::filesystem_error& error) {
    fail(error.path1(), error.code());
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& name) {
  const fs::path place = place_of_temporary_files();
  std::string made = (place / (name + "-XXXXXX")).string();
  if (mkdtemp(made.data()) == nullptr) fail(place, {errno, std::generic_category()});
  path_ = made;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace indexfuzz
