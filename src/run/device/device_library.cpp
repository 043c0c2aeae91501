#include "run/device/device_library.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace indexfuzz {
namespace {

constexpr const char* kLibrary = "libindexfuzz_cuda.so";
OpenDevice open_function = nullptr;

// What the asking process ends with instead of a number of GPUs.
constexpr int kNoDriver = 100;
constexpr int kNoStart = 101;

/// Ends the process with the number of GPUs.
[[noreturn]] void count_devices() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) _exit(kNoDriver);
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  if (init == nullptr || count == nullptr || init(0) != 0 || count(&devices) != 0) _exit(kNoStart);
  _exit(devices < kNoDriver ? devices : kNoDriver - 1);
}

/// Where the library may stand: beside the worker in a build, in lib/indexfuzz of an install.
std::string library_path() {
  std::error_code ignored;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const auto& folder : {here, here / "../lib/indexfuzz", here / "../../lib/indexfuzz"}) {
    if (std::filesystem::exists(folder / kLibrary, ignored)) return folder / kLibrary;
  }
  return {};
}

}  // namespace

int visible_devices(std::string& why) {
  const pid_t pid = fork();
  if (pid == 0) count_devices();
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
    why = "the CUDA driver could not be asked for its GPUs";
    return 0;
  }
  const int answer = WEXITSTATUS(status);
  if (answer == kNoDriver) why = "this machine has no CUDA driver (libcuda.so.1)";
  if (answer == kNoStart) why = "the CUDA driver does not start: no GPU, or a driver too old";
  if (answer == 0) why = "the CUDA driver shows no GPU";
  return answer >= kNoDriver ? 0 : answer;
}

std::string load_device_library() {
  if (open_function != nullptr) return {};
  const std::string path = library_path();
  if (path.empty())
    return "this build of indexfuzz has no CUDA support: build it where nvcc and a torch with CUDA "
           "are";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    const char* const error = dlerror();
    return path + " cannot be loaded: " + (error == nullptr ? "unknown error" : error) +
           "; the torch used here must be one with CUDA, the one that indexfuzz was built with";
  }
  open_function = reinterpret_cast<OpenDevice>(dlsym(library, kOpenDeviceSymbol));
  return open_function != nullptr ? "" : path + " is of another version of indexfuzz";
}

Device* open_device(int index, std::int64_t memory, DeviceError& error) {
  if (open_function != nullptr) return open_function(index, memory, error);
  error = {-1, "the library that reaches GPUs is not loaded"};
  return nullptr;
}

}  // namespace indexfuzz
