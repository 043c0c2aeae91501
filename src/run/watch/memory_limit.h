#pragma once
// How much memory one worker may take.

#include <cstdint>

namespace indexfuzz {

/// Private writable memory of the process in bytes, as RLIMIT_DATA counts it; 0 where it is not
/// known.
std::int64_t private_memory();

/// From here on a call may take 512 MiB of private memory (RLIMIT_DATA) more than the process has,
/// the stacks of some dozens of threads, more where there are more processors, and 8 MiB of stack:
/// a kernel that allocates without end gets std::bad_alloc or a null pointer instead of the
/// machine's whole memory. Operands of a case take some MiB.
void limit_memory();

/// Where the process has more threads than at the last call, it is limited anew: their stacks, of
/// some MiB each, are no memory that a kernel took, and are given back with them.
void leave_room_for_threads();

/// 2 GiB more where there is a limit, while it lives.
class RaisedMemoryLimit {
 public:
  RaisedMemoryLimit();
  RaisedMemoryLimit(const RaisedMemoryLimit&) = delete;
  RaisedMemoryLimit& operator=(const RaisedMemoryLimit&) = delete;
  ~RaisedMemoryLimit();

 private:
  bool is_limited_;
};

/// Whether hardly anything is left of it. Safe in a signal handler.
bool memory_is_spent();

}  // namespace indexfuzz
