#pragma once
// The supervisor's end of one indexfuzz-worker process and of the children that it forks.

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "campaign/hello.h"
#include "campaign/workers/gpu_witness.h"
#include "campaign/workers/pulse.h"
#include "campaign/workers/worker_process.h"
#include "run/shared/protocol.h"

namespace indexfuzz {

/// Slots [first, first + count) of a zygote.
struct SlotRange {
  int first = 0;
  int count = 1;
};

/// Owns the process, the shared mapping and the socket. Nothing that it started outlives it, not
/// even as a zombie. A process that dies in mid-work is started again.
class ZygoteClient {
 public:
  /// One more is the witness's.
  static constexpr int kMostSlots = kMaxSlots - 1;

  /// For `slots` slots, at most kMostSlots. Starts the process and returns at once. `pulse` is
  /// called while a process gets ready, and while the end of one that was killed is waited for.
  /// Throws SetupError, Interruption.
  ZygoteClient(const WorkerCommand& command, int slots, Pulse pulse = {});
  ZygoteClient(const ZygoteClient&) = delete;
  ZygoteClient& operator=(const ZygoteClient&) = delete;
  ~ZygoteClient();

  /// Waits until torch and the plugins are loaded. Throws SetupError if the process could not
  /// start: with the library whose loading ended it, or else with what it wrote. Throws
  /// Interruption.
  const Hello& hello();

  const WorkerCommand& command() const { return command_; }
  SharedMemory& memory() const { return *memory_; }
  Slot& slot(int index) { return memory_->slots[index]; }
  /// Has a slot of its own, after those that were asked for.
  GpuWitness& witness() { return witness_; }

  /// Starts slots[index].job: in the child that stays there, if its process can serve for the job,
  /// else in a new one. Resets the slot's progress fields first, but not its tallies.
  void start(int index);
  bool running(int index) const { return slots_[static_cast<std::size_t>(index)].running; }
  /// Whether a slot may be started: nothing runs there, and the end of what did has been taken.
  bool is_free(int index) const {
    return !running(index) && !slots_[static_cast<std::size_t>(index)].ended;
  }
  /// The process id of the child that is in a slot; 0 if there is none or it is not known yet.
  pid_t child(int index) const { return slots_[static_cast<std::size_t>(index)].child; }
  /// How many jobs the child that stays in a slot and waits has done; 0 if there is none.
  int jobs_done(int index) const;
  /// Receives messages, waiting at most `timeout` for the first. If the zygote has died, starts it
  /// again and waits until it is ready. Throws
  /// - SetupError if the zygote dies again before it is ready, does not get ready, cannot serve any
  ///   more, has other kernels than before, or was started too often; or if the system has no
  ///   process for a child;
  /// - DeviceMissing if the zygote finds no GPU any more, or a child of the dead one does not end;
  /// - Interruption.
  void receive(std::chrono::milliseconds timeout);
  /// The wait status of a child that ended, or 0 for one that stays and has done its job; once.
  std::optional<int> take_ended(int index);
  /// Whether the last child of a slot ended through no fault of its own: because the zygote died,
  /// or before the child had taken the job.
  bool was_lost(int index) const { return slots_[static_cast<std::size_t>(index)].lost; }
  /// Ends the children of slots by SIGKILL, all at once, and waits until their ends are reported.
  /// Throws DeviceMissing if that takes more than a minute or, once the pulse is true, ten
  /// seconds.
  void kill(std::span<const int> slots);
  void kill(int index) { kill({&index, 1}); }
  /// Sets the most bytes of a GPU's memory for children whose jobs do not say it.
  void limit_device_memory(std::int64_t bytes) { command_.device_memory = bytes; }

 private:
  /// Ends the processes and gives back what it holds.
  void release();
  struct SlotState {
    bool running = false;  ///< a job is under way
    pid_t child = 0;
    std::optional<int> ended;
    bool lost = false;
    int jobs_done = 0;                            ///< by the child that is there
    Capability capability = Capability::kNative;  ///< of that child's process
  };
  bool is_slot(int index) const {
    return 0 <= index && static_cast<std::size_t>(index) < slots_.size();
  }
  bool stays(int index) const { return jobs_done(index) > 0; }
  void take_end(int index, int status);
  void start_process();
  std::vector<pid_t> processes();
  void start_again();
  void await_ready();
  Hello read_hello() const;
  void take(const Message& message);
  /// The library that the process is loading; null for none.
  const std::string* loading() const;
  /// The beginning of what it has written.
  std::string output() const;
  std::string last_words() const;

  WorkerCommand command_;
  Pulse pulse_;
  pid_t pid_ = -1;
  int socket_ = -1;
  int memory_fd_ = -1;
  int output_ = -1;
  std::size_t bytes_ = 0;
  SharedMemory* memory_ = nullptr;
  std::vector<SlotState> slots_;
  std::optional<Hello> hello_;
  bool answered_ = false;
  bool ready_ = false;  ///< this process has said hello
  int starts_ = 0;
  int starts_in_vain_ = 0;  ///< in a row, of processes that started no child
  GpuWitness witness_;
};

}  // namespace indexfuzz
