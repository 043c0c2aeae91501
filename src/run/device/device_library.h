#pragma once
// The GPUs of this machine, and the library that reaches them (run/cuda), which is loaded only
// where there is one.

#include <cstdint>
#include <string>

#include "run/device/device.h"

namespace indexfuzz {

/// How many GPUs CUDA offers here. Asks in a process of its own, so that this one stays without a
/// CUDA context and can be forked. `why`: one sentence, where there is none.
int visible_devices(std::string& why);

/// Loads libindexfuzz_cuda.so, and with it PyTorch's CUDA side, which must happen before PyTorch is
/// first asked for CUDA. Nothing, or one sentence.
std::string load_device_library();

/// Opens a GPU; null and an error where that fails. Needs `load_device_library`.
Device* open_device(int index, std::int64_t memory, DeviceError& error);

}  // namespace indexfuzz
