#pragma once

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <vector>

namespace indexfuzz {

/// The children that a thread of a process has started and not yet waited for; empty if there is no
/// such thread. The first thread of a process has the process's number.
inline std::vector<pid_t> child_processes(pid_t process, pid_t thread) {
  std::vector<pid_t> children;
  const std::string path =
      "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/children";
  if (std::FILE* const file = std::fopen(path.c_str(), "re")) {
    for (pid_t child = 0; std::fscanf(file, "%d", &child) == 1;) children.push_back(child);
    std::fclose(file);
  }
  return children;
}

}  // namespace indexfuzz
