#pragma once

#include <sys/types.h>

#include <chrono>
#include <span>

namespace indexfuzz {

/// To take down a process that uses a GPU takes seconds.
inline constexpr std::chrono::seconds kUsualEnd{5};

/// Kills processes, and whole groups where a number is negative, as it is for kill(2). Waits until
/// all that are children of this process have ended, in the order in which they are named, so that
/// they leave no zombies: behind its parent, a child that a subreaper inherits is waited for, too.
/// False where one is still there after `limit`.
bool end_processes(std::span<const pid_t> processes, std::chrono::milliseconds limit = kUsualEnd);

}  // namespace indexfuzz
