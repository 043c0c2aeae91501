#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace indexfuzz {

/// While it lives, the process gets no more than `bytes` of memory in addition to what it has. For
/// calls that may ask for very much: a kernel that keeps a number for each row of a table would
/// take the memory of the whole machine.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::int64_t bytes);
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit();

 private:
  rlimit before_{};
  bool is_set_ = false;
};

}  // namespace indexfuzz
