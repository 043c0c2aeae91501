#pragma once

#include "launch.h"

namespace kernels {

// Both copy after the work that is already on the stream, and wait for the copy.
LaunchError copy_to_device(void* to, const void* from, std::size_t bytes, Stream stream);
LaunchError copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream);

}  // namespace kernels
