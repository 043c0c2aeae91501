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
  std::vector<std::string> operators;  ///< names; empty: all
  std::string contract;                ///< the text of a contract; empty: none
  bool native_coverage = false;
};

/// Loads the libraries, resolves the implementations, says hello, and serves until the socket
/// closes; then ends its children. Starts no thread and calls no kernel. Returns the exit code: 1
/// if it could not set itself up, as its hello says, else 0.
int run_zygote(const ZygoteOptions& options);

}  // namespace indexfuzz
