#pragma once
// The process that loads torch and the plugins once, and forks a child for every job.

#include <string>
#include <vector>

namespace indexfuzz {

struct ZygoteOptions {
  int control = -1;  ///< SOCK_SEQPACKET, see protocol.h
  int memory = -1;   ///< a file that holds a SharedMemory
  std::vector<std::string> libraries;
  std::vector<std::string> implementations;
  std::vector<std::string> operators;  ///< names; none: all
  bool native_coverage = false;
};

/// Loads, resolves, greets, and serves until the socket closes; ends its children then. It starts
/// no thread and calls no kernel. Returns the exit code: 1 where it could not set itself up, which
/// the greeting says, else 0.
int run_zygote(const ZygoteOptions& options);

}  // namespace indexfuzz
