// A main() in place of libFuzzer's, for builds without libFuzzer. Runs the target once on each file
// that is named and on each file in the folders that are named.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

bool run_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    return false;
  }
  std::printf("Running: %s\n", path.c_str());
  std::fflush(stdout);  // so that the name is seen if this input ends the program
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return true;
}

/// Whether all below the folder could be read.
bool run_folder(const fs::path& folder) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  bool all = true;
  for (const fs::recursive_directory_iterator end; !error && entry != end;) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) all = run_file(entry->path()) && all;
    entry.increment(error);
  }
  if (!error) return all;
  std::fprintf(stderr, "%s: cannot be read: %s\n", folder.c_str(), error.message().c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  LLVMFuzzerInitialize(&argc, &argv);
  bool all = true;
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-') continue;  // libFuzzer's flags
    std::error_code error;
    all = (fs::is_directory(argv[i], error) ? run_folder(argv[i]) : run_file(argv[i])) && all;
  }
  return all ? 0 : 1;
}
