#include "run/device/device_library.h"

#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "run/answer_of_child.h"

namespace indexfuzz {
namespace {

constexpr const char* kLibrary = "libindexfuzz_cuda.so";
OpenDevice open_function = nullptr;

/// What the asking process found.
struct Devices {
  int count = 0;
  char why[192] = "";  ///< one sentence, where there is none
};

Devices ask_driver() {
  Devices devices;
  const auto lacks = [&](const char* what, const char* name = "") {
    std::snprintf(devices.why, sizeof devices.why, "%s%s", what, name);
    return devices;
  };
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return lacks("this machine has no CUDA driver (libcuda.so.1)");
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  const auto name_of =
      reinterpret_cast<int (*)(int, const char**)>(dlsym(driver, "cuGetErrorName"));
  if (init == nullptr || count == nullptr || name_of == nullptr)
    return lacks("the CUDA driver is too old");
  int error = init(0);
  if (error == 0) error = count(&devices.count);
  const char* name = nullptr;
  if (error != 0 && name_of(error, &name) != 0) name = "an error that it has no name for";
  if (error != 0) return lacks("the CUDA driver does not start: it answers ", name);
  if (devices.count == 0) return lacks("the CUDA driver shows no GPU");
  return devices;
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
  const std::optional<Devices> found = answer_of_child(ask_driver);
  why = found ? found->why : "the CUDA driver could not be asked for its GPUs";
  return found ? found->count : 0;
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
