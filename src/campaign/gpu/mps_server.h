#pragma once
// NVIDIA's Multi-Process Service: without it, processes on one GPU take turns.

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace indexfuzz {

/// Owns an MPS server of our own for the GPUs that this process sees, which nobody else finds: its
/// folder is private. It ends with this object or this process, however that ends, and takes the
/// folder with it.
class MpsServer {
 public:
  /// `program` is looked up in PATH. A server that does not start is no error: `why` says so.
  explicit MpsServer(const std::string& program = "nvidia-cuda-mps-control");
  MpsServer(const MpsServer&) = delete;
  MpsServer& operator=(const MpsServer&) = delete;
  ~MpsServer();

  bool runs() const { return why_.empty(); }
  const std::string& why() const { return why_; }
  /// CUDA_MPS_PIPE_DIRECTORY of its clients.
  std::string pipe() const { return folder_ / "pipe"; }

 private:
  void stop();

  std::filesystem::path folder_;
  pid_t watcher_ = -1;
  int alive_ = -1;  ///< a pipe's end: the server lives as long as it is open
  std::string why_;
};

}  // namespace indexfuzz
