#pragma once
// What a zygote says of itself: the JSON of SharedMemory::hello.

#include <span>
#include <string>

#include "run/call/implementation.h"

namespace indexfuzz {

/// `error`: empty, or the sentence with which it cannot serve. `left_out`: a sentence for each
/// kernel of a namespace that cannot be run. `gpus`: the names of those that CUDA shows; `no_gpu`:
/// why none is used, where that was asked.
std::string greeting(std::span<const Implementation> implementations,
                     std::span<const std::string> left_out, const std::string& error,
                     bool device_missing = false, std::span<const std::string> gpus = {},
                     const std::string& no_gpu = {});

}  // namespace indexfuzz
