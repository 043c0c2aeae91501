#pragma once

namespace indexfuzz {

/// How many CUDA devices a process started here would see; 0 where there is no driver. Asks the
/// driver, but makes no context on any device.
int cuda_devices();

}  // namespace indexfuzz
