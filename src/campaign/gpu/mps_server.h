#pragma once
// NVIDIA's Multi-Process Service: without it, processes on one GPU take turns.

#include <sys/types.h>

#include <optional>
#include <string>

#include "campaign/temporary_folder.h"
#include "campaign/workers/pulse.h"

namespace indexfuzz {

/// Owns a private MPS server for the GPUs that this process sees; other users cannot find it, since
/// its folder is private. The server ends, and its folder is removed, with this object or when this
/// process ends, however it ends. That takes some seconds at most: a server that hangs in the
/// driver is not waited for.
class MpsServer {
 public:
  /// `program` is looked up in PATH. A server that does not start is no error: why() explains it.
  /// Throws Interruption once `pulse` is true while it waits for the server.
  explicit MpsServer(const Pulse& pulse = {},
                     const std::string& program = "nvidia-cuda-mps-control");
  MpsServer(const MpsServer&) = delete;
  MpsServer& operator=(const MpsServer&) = delete;
  ~MpsServer();

  bool runs() const { return why_.empty(); }
  const std::string& why() const { return why_; }
  /// CUDA_MPS_PIPE_DIRECTORY of its clients, of a server that runs().
  std::string pipe() const { return folder_->path() / "pipe"; }

 private:
  void make_folder();
  void stop();

  /// None if it cannot be made. The watching process removes it, too, if this one was killed.
  std::optional<TemporaryFolder> folder_;
  pid_t watcher_ = -1;
  int alive_ = -1;  ///< a pipe's end: the server lives as long as it is open
  std::string why_;
};

}  // namespace indexfuzz
