#include "campaign/torch_place.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "campaign/subprocess.h"
#include "indexfuzz_config.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

bool holds_torch(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "libtorch_cpu.so", ignored);
}

bool is_named_already(std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0 && holds_torch(fs::path(list.substr(0, end)))) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

/// torch/lib of python3, and of the packages of CUDA beside it; without importing torch, which
/// takes seconds.
constexpr const char* kAsk = R"(
import glob, importlib.util, os
torch = os.path.dirname(importlib.util.find_spec("torch").origin)
print(":".join([torch + "/lib"] + sorted(glob.glob(os.path.dirname(torch) + "/nvidia/*/lib"))))
)";

}  // namespace

void point_to_torch() {
  static bool done = false;
  if (done) return;
  done = true;
  const char* const now = getenv("LD_LIBRARY_PATH");
  const std::string old = now == nullptr ? "" : now;
  if (holds_torch(config::kTorchLibDir) || is_named_already(old)) return;
  Subprocess python({"python3", "-c", kAsk}, std::chrono::seconds(60));
  if (python.wait() != 0) return;
  std::string folders = python.output();
  folders = folders.substr(0, folders.find('\n'));
  setenv("LD_LIBRARY_PATH", (old.empty() ? folders : folders + ":" + old).c_str(), 1);
}

}  // namespace indexfuzz
