#pragma once
// The number of a process that a script starts, and tells by a file.

#include <sys/types.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace indexfuzz {

/// What a file holds as soon as it appears; 0 after half a minute.
inline pid_t pid_in(const std::string& file) {
  for (int i = 0; i < 3000; ++i) {
    pid_t pid = 0;
    if (std::ifstream(file) >> pid) return pid;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return 0;
}

}  // namespace indexfuzz
