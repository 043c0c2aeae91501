#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <span>

namespace indexfuzz {

/// Taking down a process that uses a GPU takes seconds.
inline constexpr std::chrono::seconds kUsualEnd{5};

/// Kills processes and, for negative numbers, process groups, as kill(2) does. Then waits, in the
/// given order, until those that are children of this process have ended, so that they leave no
/// zombies. That includes a process that this one inherits as a subreaper, if it comes after its
/// parent. False if one is still there once `is_over()` is true, or after `limit`.
bool end_processes(std::span<const pid_t> processes, const std::function<bool()>& is_over);
bool end_processes(std::span<const pid_t> processes, std::chrono::milliseconds limit = kUsualEnd);

}  // namespace indexfuzz
