#pragma once
// What a zygote says of itself: the JSON of SharedMemory::hello.

#include <span>
#include <string>

#include "run/call/implementation.h"

namespace indexfuzz {

/// Why no GPU is used, where that was asked.
struct NoGpu {
  std::string why;        ///< empty: one is, or nobody asked
  bool is_there = false;  ///< but cannot be used
};

/// `error`: empty, or the sentence with which it cannot serve. `libraries`: those that were loaded.
/// `left_out`: a sentence for each kernel of a namespace that cannot be run.
std::string greeting(std::span<const Implementation> implementations,
                     std::span<const std::string> libraries, std::span<const std::string> left_out,
                     const std::string& error, bool device_missing = false,
                     const NoGpu& no_gpu = {}, std::span<const std::string> gpu_names = {});

}  // namespace indexfuzz
