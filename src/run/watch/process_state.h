#pragma once
// What the calls of a process share beside PyTorch and the processor.

#include <functional>
#include <string_view>

namespace indexfuzz {

/// Takes what is now for what is right.
void note_process_state();

/// Puts back what has changed since, and names each: "the umask", "the handling of SIGINT".
void take_process_state_change(const std::function<void(std::string_view what)>& note);

}  // namespace indexfuzz
