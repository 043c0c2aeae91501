#pragma once
// A library of the user's that ends the worker's process, or keeps it, as it is loaded.

#include <sys/types.h>

#include <chrono>
#include <string>

namespace indexfuzz {

/// The sentence on a library during whose loading a child of this process has ended; the child is
/// still to be waited for. `output`: what it wrote.
std::string ended_by_loading(const std::string& library, pid_t child, const std::string& output);
/// The sentence on one that is not loaded after `limit`.
std::string held_by_loading(const std::string& library, std::chrono::seconds limit);

}  // namespace indexfuzz
