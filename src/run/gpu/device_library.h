#pragma once
// The library that reaches this machine's GPUs (run/cuda), which is loaded only where there is one.

#include <cstdint>
#include <string>

#include "run/device/device.h"

namespace indexfuzz {

/// Loads libindexfuzz_cuda.so, and with it PyTorch's CUDA side, which must happen before PyTorch is
/// first asked for CUDA. Empty, or one sentence.
std::string load_device_library();

/// Opens a GPU; null and an error if that fails. Needs load_device_library().
Device* open_device(int index, std::int64_t memory, DeviceError& error);
/// Asks a GPU for memory and some work, waits for it, and returns the error if there is one.
DeviceError try_device(int index);

}  // namespace indexfuzz
