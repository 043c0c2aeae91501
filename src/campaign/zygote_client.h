#pragma once
// The supervisor's end of one indexfuzz-worker process and of the children that it forks.

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "campaign/hello.h"
#include "run/protocol.h"

namespace indexfuzz {

/// What is run under a zygote: its command line, without the file descriptors.
struct WorkerCommand {
  std::string executable;
  std::vector<std::string> libraries;        ///< --load, absolute
  std::vector<std::string> implementations;  ///< --impl; none: all that work here
  std::vector<std::string> operators;        ///< --operator; none: all
  bool native_coverage = false;              ///< --native-coverage
};

/// indexfuzz-worker beside this program, or in ../libexec/indexfuzz. Throws SetupError.
std::string find_worker_executable();

/// True as soon as the user wants the command to end.
using Interrupted = std::function<bool()>;

/// Owns the process, the shared mapping and the socket. Nothing that it started outlives it.
class ZygoteClient {
 public:
  /// Starts the process and returns at once. Throws SetupError.
  ZygoteClient(const WorkerCommand& command, int slots);
  ZygoteClient(const ZygoteClient&) = delete;
  ZygoteClient& operator=(const ZygoteClient&) = delete;
  ~ZygoteClient();

  /// Waits until torch and the plugins are loaded. Throws SetupError, with what the process wrote
  /// to its standard error where it could not start; Interruption.
  const Hello& hello(const Interrupted& interrupted = {});

  SharedMemory& memory() const { return *memory_; }
  Slot& slot(int index) { return memory_->slots[index]; }
  int socket() const { return socket_; }

  /// Starts a child on slots[index].job. Its progress fields are set back first, its tallies are
  /// not.
  void start(int index);
  bool running(int index) const { return slots_[static_cast<std::size_t>(index)].running; }
  /// Receives what has come, waiting at most `timeout` for the first message. Throws SetupError
  /// when the zygote itself has died.
  void receive(std::chrono::milliseconds timeout);
  /// The wait status of a child that ended, once.
  std::optional<int> take_ended(int index);
  /// Ends the child of a slot by SIGKILL and waits for the news of it.
  void kill(int index);

 private:
  struct SlotState {
    bool running = false;
    std::optional<int> ended;
  };
  void take(const Message& message);
  std::string last_words() const;

  pid_t pid_ = -1;
  int socket_ = -1;
  int output_ = -1;
  std::size_t bytes_ = 0;
  SharedMemory* memory_ = nullptr;
  std::vector<SlotState> slots_;
  std::optional<Hello> hello_;
  bool answered_ = false;
};

}  // namespace indexfuzz
