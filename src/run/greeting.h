#pragma once
// What a zygote says of itself: the JSON of SharedMemory::hello.

#include <span>
#include <string>

#include "run/implementation.h"

namespace indexfuzz {

/// `error`: empty, or the sentence with which it cannot serve. `libraries`: those that were loaded.
std::string greeting(std::span<const Implementation> implementations,
                     std::span<const std::string> libraries, const std::string& error,
                     bool device_missing = false);

}  // namespace indexfuzz
