#include "campaign/workers/torch_place.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include "campaign/failure.h"
#include "campaign/last_line.h"
#include "campaign/workers/subprocess.h"
#include "case/strings/take_until.h"
#include "indexfuzz_config.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

bool holds_torch(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "libtorch_cpu.so", ignored);
}

/// The first folder of a list like LD_LIBRARY_PATH that holds LibTorch; may be empty.
std::string first_with_torch(std::string_view list) {
  while (!list.empty()) {
    const std::string_view folder = take_until(list, ":");
    if (!folder.empty() && holds_torch(fs::path(folder))) return std::string(folder);
  }
  return "";
}

std::string library_path() {
  const char* const now = getenv("LD_LIBRARY_PATH");
  return now == nullptr ? "" : now;
}

/// Prints the library folders of python3's torch and of the CUDA packages beside it, without
/// importing torch, which takes seconds.
constexpr const char* kAsk = R"(
import glob, importlib.util, os
torch = os.path.dirname(importlib.util.find_spec("torch").origin)
print(":".join([torch + "/lib"] + sorted(glob.glob(os.path.dirname(torch) + "/nvidia/*/lib"))))
)";

}  // namespace

void point_to_torch(const Pulse& pulse) {
  static bool done = false;
  if (done) return;
  done = true;
  const std::string old = library_path();
  if (holds_torch(config::kTorchLibDir) || !first_with_torch(old).empty()) return;
  Subprocess python({"python3", "-c", kAsk}, std::chrono::seconds(60));
  while (!python.poll()) {
    if (stops_at(pulse)) throw Interruption();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (!python.wait().is_success()) return;
  // The last line, since Python may have printed warnings before it.
  const std::string folders = whole_last_line(python.output());
  if (folders.empty()) return;
  setenv("LD_LIBRARY_PATH", (old.empty() ? folders : folders + ":" + old).c_str(), 1);
}

std::string torch_libraries() {
  return holds_torch(config::kTorchLibDir) ? config::kTorchLibDir
                                           : first_with_torch(library_path());
}

}  // namespace indexfuzz
