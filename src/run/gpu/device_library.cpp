#include "run/gpu/device_library.h"

#include <dlfcn.h>

#include <filesystem>

#include "run/shared/program_folder.h"

namespace indexfuzz {
namespace {

constexpr const char* kLibrary = "libindexfuzz_cuda.so";
OpenDevice open_function = nullptr;
TryDevice try_function = nullptr;

DeviceError not_loaded() {
  return {-1, "the library that reaches GPUs is not loaded"};
}

/// Where the library may be: beside the worker in a build, in lib/indexfuzz in an install.
std::string library_path() {
  const auto here = program_folder();
  return first_file({here / kLibrary, here / "../lib/indexfuzz" / kLibrary,
                     here / "../../lib/indexfuzz" / kLibrary});
}

}  // namespace

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
  try_function = reinterpret_cast<TryDevice>(dlsym(library, kTryDeviceSymbol));
  const bool complete = open_function != nullptr && try_function != nullptr;
  return complete ? "" : path + " is of another version of indexfuzz";
}

Device* open_device(int index, std::int64_t memory, DeviceError& error) {
  if (open_function != nullptr) return open_function(index, memory, error);
  error = not_loaded();
  return nullptr;
}

DeviceError try_device(int index) {
  if (try_function == nullptr) return not_loaded();
  DeviceError error;
  try_function(index, error);
  return error;
}

}  // namespace indexfuzz
