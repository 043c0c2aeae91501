#pragma once
// The CUDA driver, asked before anything uses a GPU, by the supervisor and by a zygote.

#include <dlfcn.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "case/gpu_settings.h"
#include "run/shared/answer_of_child.h"
#include "run/shared/job.h"

namespace indexfuzz {

/// Opens libcuda at run time, since most machines have none; null then. Only for a process that
/// does nothing else (answer_of_child), since what it starts stays in the process.
inline void* open_cuda_driver() {
  // Use no foreign MPS server, not even to count GPUs.
  setenv("CUDA_MPS_PIPE_DIRECTORY", kNoMps, 1);
  return dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
}

/// A function of the driver; null if the driver is too old to have it.
template <typename Function>
Function* driver_function(void* driver, const char* name) {
  return reinterpret_cast<Function*>(dlsym(driver, name));
}

struct VisibleDevices {
  int count = 0;
  char names[kMaxDevices][64] = {};
  char why[192] = "";  ///< one sentence, if there is no GPU
};
/// Asks the driver; only in a process that does nothing else.
inline VisibleDevices ask_for_devices() {
  VisibleDevices devices;
  const auto lacks = [&](const char* what, const char* name = "") {
    std::snprintf(devices.why, sizeof devices.why, "%s%s", what, name);
    return devices;
  };
  void* const driver = open_cuda_driver();
  if (driver == nullptr) return lacks("this machine has no CUDA driver (libcuda.so.1)");
  auto* const init = driver_function<int(unsigned)>(driver, "cuInit");
  auto* const count = driver_function<int(int*)>(driver, "cuDeviceGetCount");
  auto* const name_of = driver_function<int(int, const char**)>(driver, "cuGetErrorName");
  if (init == nullptr || count == nullptr || name_of == nullptr)
    return lacks("the CUDA driver is too old");
  int error = init(0);
  if (error == 0) error = count(&devices.count);
  const char* name = nullptr;
  if (error != 0 && name_of(error, &name) != 0) name = "an error that it has no name for";
  if (error != 0) return lacks("the CUDA driver does not start: it answers ", name);
  if (devices.count == 0) return lacks("the CUDA driver shows no GPU");
  // Device i has the handle that cuDeviceGet returns. A GPU whose name is unknown is tested as
  // well.
  auto* const get = driver_function<int(int*, int)>(driver, "cuDeviceGet");
  auto* const device_name = driver_function<int(char*, int, int)>(driver, "cuDeviceGetName");
  for (int i = 0; i < std::min(devices.count, kMaxDevices); ++i) {
    int handle = 0;
    if (get != nullptr && device_name != nullptr && get(&handle, i) == 0)
      device_name(devices.names[i], sizeof devices.names[i] - 1, handle);
  }
  return devices;
}

/// The names of the GPUs that CUDA offers here. Asks in a forked child, so that this process stays
/// without CUDA and can still fork. `why`: one sentence, if there is no GPU.
inline std::vector<std::string> visible_devices(std::string& why) {
  const std::optional<VisibleDevices> found = answer_of_child(ask_for_devices);
  why = found ? found->why : "the CUDA driver could not be asked for its GPUs";
  std::vector<std::string> names;
  for (int i = 0; found && i < found->count; ++i)
    names.emplace_back(i < kMaxDevices ? found->names[i] : "");
  return names;
}

}  // namespace indexfuzz
