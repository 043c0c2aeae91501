#pragma once
// A process that a test started by another, and knows by its number, told by a file.

#include <sys/types.h>

#include <chrono>
#include <fstream>
#include <iterator>
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

/// Whether there is such a process that has not ended, be it waited for or not.
inline bool lives(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(stat), {}};
  return !text.empty() && text.find(") Z ") == std::string::npos;
}

}  // namespace indexfuzz
