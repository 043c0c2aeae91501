#pragma once
// What the calls of a process share apart from PyTorch and the processor.

#include <functional>
#include <string_view>

namespace indexfuzz {

/// Records the current state as the one to be restored.
void note_process_state();

/// Restores what has changed since, and names each change: "the umask", "the handling of SIGINT".
void take_process_state_change(const std::function<void(std::string_view what)>& note);

}  // namespace indexfuzz
