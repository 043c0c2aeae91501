#pragma once
// A library of the user's whose loading ends the worker's process or does not return.

#include <sys/types.h>

#include <chrono>
#include <string>

namespace indexfuzz {

/// The sentence on a library whose loading ended a child of this process, which has not been waited
/// for yet. `output`: what the child wrote.
std::string ended_by_loading(const std::string& library, pid_t child, const std::string& output);
/// The sentence on a library that is not loaded after `limit`.
std::string held_by_loading(const std::string& library, std::chrono::seconds limit);

}  // namespace indexfuzz
