#pragma once
// How much memory one worker may take.

#include <sys/resource.h>

#include <cstdint>

namespace indexfuzz {

/// Private writable memory of the process in bytes, as RLIMIT_DATA counts it; 0 if unknown.
/// Allocates nothing.
std::int64_t private_memory();

/// Limits this process: a call may take 512 MiB of private memory (RLIMIT_DATA) beyond what the
/// process has, plus the stacks of some dozens of threads (more on machines with more processors),
/// and 8 MiB of stack. A kernel that allocates without end then gets std::bad_alloc or a null
/// pointer instead of the machine's whole memory. The operands of a case take some MiB.
void limit_memory();

/// Renews the limit if the process has more threads than at the last call. The stacks of threads,
/// of some MiB each, are no memory that a kernel keeps: they are given back when the threads end.
void leave_room_for_threads();

/// While it lives, the process may take 2 GiB more than it has, if there is a limit.
class RaisedMemoryLimit {
 public:
  RaisedMemoryLimit();
  RaisedMemoryLimit(const RaisedMemoryLimit&) = delete;
  RaisedMemoryLimit& operator=(const RaisedMemoryLimit&) = delete;
  ~RaisedMemoryLimit();

 private:
  bool is_limited_;
};

/// While it lives, the process gets no more than `bytes` of memory in addition to what it has, or
/// less if there is a lower limit. For calls that may ask for very much: a kernel that keeps a
/// number for each row of a table would take the memory of the whole machine.
class LoweredMemoryLimit {
 public:
  explicit LoweredMemoryLimit(std::int64_t bytes);
  LoweredMemoryLimit(const LoweredMemoryLimit&) = delete;
  LoweredMemoryLimit& operator=(const LoweredMemoryLimit&) = delete;
  ~LoweredMemoryLimit();

 private:
  rlimit before_{};
  bool is_lowered_ = false;
};

/// Whether hardly any memory is left. Safe in a signal handler.
bool memory_is_spent();

}  // namespace indexfuzz
