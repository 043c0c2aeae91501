#pragma once

#include "launch.h"

namespace kernels {

/// Copies behind the work on the stream. The host's bytes may be given up once it returns.
LaunchError copy_to_device(void* to, const void* from, std::size_t bytes, Stream stream);
/// Waits for the work on the stream and the copy.
LaunchError copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream);

}  // namespace kernels
