#pragma once
// What goes on while something is waited for.

#include <functional>

namespace indexfuzz {

/// Called often while something is waited for or one step of many is done: does what its maker has
/// to do meanwhile, and is true as soon as the wait or the work is to end. A campaign's takes over
/// what workers hand in, starts and stops them, publishes its summary and tells its listener, so
/// that it takes time, changes the campaign and throws what these throw: StorageError, SetupError,
/// DeviceMissing, Interruption. Empty: there is nothing to do, and no end.
using Pulse = std::function<bool()>;

/// Calls the pulse; whether the wait or the work is to end.
inline bool stops_at(const Pulse& pulse) {
  return pulse && pulse();
}

}  // namespace indexfuzz
