#include "campaign/temporary_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <system_error>

#include "campaign/failure.h"
#include "case/strings/printable.h"

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
  std::error_code error;
  const fs::path place = fs::temp_directory_path(error);
  if (!error) return place;
  // temp_directory_path() does not say which folder it looked at.
  const char* const named = getenv("TMPDIR");
  fail(named != nullptr ? named : "/tmp", error);
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
