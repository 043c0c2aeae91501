#include "campaign/workers/zygote_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "campaign/failure.h"
#include "campaign/workers/end_processes.h"
#include "campaign/workers/output_file.h"
#include "campaign/workers/torch_place.h"
#include "campaign/workers/unloadable.h"
#include "campaign/workers/worker_process.h"

namespace indexfuzz {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Loading torch from a cold disk takes long; a plugin may compile something.
constexpr auto kHelloLimit = std::chrono::seconds(120);
// Taking down a process on a GPU takes seconds.
constexpr auto kEndLimit = std::chrono::seconds(60);
// An interrupted command must end within 20 s.
constexpr auto kInterruptedEndLimit = std::chrono::seconds(10);
// A machine that kills its processes more often has other problems.
constexpr int kMostStarts = 1000;
// In a row, before any child is started: what ends the process will end the next.
constexpr int kMostStartsInVain = 5;

[[noreturn]] void fail(const char* what) {
  throw SetupError(fmt::format("cannot start a worker process: {}: {}.", what, strerror(errno)));
}

[[noreturn]] void fail_to_end() {
  throw DeviceMissing(
      "a worker process does not end when it is killed: it waits in the kernel, as for the driver "
      "of a GPU that does not answer any more.");
}

/// The wait for what was killed.
class EndWait {
 public:
  explicit EndWait(const Pulse& pulse) : pulse_(pulse) {}

  /// Calls the pulse. Whether it has lasted too long: a minute, or ten seconds since the pulse was
  /// true.
  bool is_over() {
    if (!shortened_ && stops_at(pulse_)) {
      shortened_ = true;
      until_ = std::min(until_, Clock::now() + kInterruptedEndLimit);
    }
    return Clock::now() > until_;
  }

 private:
  const Pulse& pulse_;
  Clock::time_point until_ = Clock::now() + kEndLimit;
  bool shortened_ = false;
};

/// Hands the job that lies in the slot to the child that stays there.
void begin_round(Slot& slot) {
  slot.round.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &slot.round, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace

ZygoteClient::ZygoteClient(const WorkerCommand& command, int slots, Pulse pulse)
    : command_(command),
      pulse_(std::move(pulse)),
      bytes_(shared_memory_bytes(slots + 1)),
      slots_(static_cast<std::size_t>(slots) + 1),
      witness_(*this, slots) {
  // Children of a zygote that dies become ours, so that their end can be waited for.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  try {
    memory_fd_ = memfd_create("indexfuzz-memory", MFD_CLOEXEC);
    if (memory_fd_ < 0 || ftruncate(memory_fd_, static_cast<off_t>(bytes_)) != 0)
      fail("memfd_create");
    void* mapping = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd_, 0);
    if (mapping == MAP_FAILED) fail("mmap");
    memory_ = static_cast<SharedMemory*>(mapping);
    memory_->build = build_stamp();
    output_ = make_output_file();
    if (output_ < 0) fail("memfd_create");
    start_process();
  } catch (...) {
    release();
    throw;
  }
}

void ZygoteClient::start_process() {
  point_to_torch(pulse_);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) fail("socketpair");
  socket_ = ends[0];
  pid_ = start_worker(command_, ends[1], memory_fd_, output_);
  close(ends[1]);
  if (pid_ < 0) fail("fork");
  ++starts_;
}

/// The process, its group, and those of its children that a kernel has taken out of the group.
std::vector<pid_t> ZygoteClient::processes() {
  std::vector<pid_t> all;
  // By its own id, too: it may not have made its own session yet.
  if (pid_ > 0) all = {pid_, -pid_};
  for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
    if (child(i) > 0) all.push_back(child(i));
  }
  return all;
}

void ZygoteClient::start_again() {
  // Only once these have ended may their slots be written.
  EndWait wait(pulse_);
  if (!end_processes(processes(), [&] { return wait.is_over(); })) fail_to_end();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const bool worked = slots_[i].running;
    if (!worked && !stays(static_cast<int>(i))) continue;
    slots_[i] = {};
    if (!worked) continue;
    slots_[i].ended = SIGKILL;
    slots_[i].lost = true;
  }
  close(std::exchange(socket_, -1));
  pid_ = -1;
  ready_ = false;
  start_process();
  ++starts_in_vain_;
  // The time for loading must not count for any case.
  await_ready();
  require_unchanged(*hello_, read_hello());
}

ZygoteClient::~ZygoteClient() {
  release();
}

void ZygoteClient::release() {
  if (pid_ > 0) end_processes(processes());
  if (socket_ >= 0) close(socket_);
  if (memory_fd_ >= 0) close(memory_fd_);
  if (output_ >= 0) close(output_);
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

/// Waits until the process has said hello.
void ZygoteClient::await_ready() {
  const auto limit = Clock::now() + kHelloLimit;
  while (!ready_) {
    receive(milliseconds(50));
    if (stops_at(pulse_)) throw Interruption();
    if (!ready_ && Clock::now() > limit) {
      if (const std::string* library = loading())
        throw SetupError(held_by_loading(*library, kHelloLimit));
      throw SetupError(fmt::format("indexfuzz-worker did not get ready within {} seconds.{}",
                                   kHelloLimit.count(), last_words()));
    }
  }
}

const Hello& ZygoteClient::hello() {
  if (!answered_) await_ready();
  if (!hello_) hello_ = read_hello();
  return *hello_;
}

Hello ZygoteClient::read_hello() const {
  return parse_hello({memory_->hello, std::min(memory_->hello_size, kHelloBytes)});
}

int ZygoteClient::jobs_done(int index) const {
  const SlotState& state = slots_[static_cast<std::size_t>(index)];
  return state.running ? 0 : state.jobs_done;
}

void ZygoteClient::start(int index) {
  Slot& s = slot(index);
  SlotState& state = slots_[static_cast<std::size_t>(index)];
  // A process reads its CPU capability only once, and other settings of its start, such as its MPS
  // server, cannot be changed either.
  const bool serves = stays(index) && s.job.stays &&
                      state.capability == s.job.environment.capability && s.job.mps_pipe[0] == 0;
  if (stays(index) && !serves) kill(index);
  if (s.job.device_memory == 0) s.job.device_memory = command_.device_memory;
  reset_progress(s);
  state.ended.reset();
  state.lost = false;
  state.running = true;
  if (serves) {
    begin_round(s);
    return;
  }
  state.child = 0;
  s.round = 1;
  s.taken = 0;
  state.jobs_done = 0;
  state.capability = s.job.environment.capability;
  // If the zygote no longer reads the message, receive() reports the job as lost.
  const Message message{Message::Type::kStart, index, 0};
  (void)!send(socket_, &message, sizeof message, MSG_NOSIGNAL);
}

void ZygoteClient::take(const Message& message) {
  switch (message.type) {
    case Message::Type::kHello:
      answered_ = true;
      ready_ = true;
      break;
    case Message::Type::kStart: break;
    case Message::Type::kStarted:
      starts_in_vain_ = 0;
      if (is_slot(message.slot))
        slots_[static_cast<std::size_t>(message.slot)].child = message.number;
      break;
    case Message::Type::kEnded:
      if (is_slot(message.slot)) take_end(message.slot, message.number);
      break;
  }
}

void ZygoteClient::take_end(int index, int status) {
  SlotState& state = slots_[static_cast<std::size_t>(index)];
  const bool worked = state.running;
  const bool existed = std::exchange(state, {}).child != 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoProcessExit && !existed)
    throw SetupError("the system gives no more processes to run kernels in; look at `ulimit -u`.");
  if (!worked) return;  // the child was idle, and nothing waits for its end
  state.ended = status;
  state.lost = slot(index).taken.load() != slot(index).round.load();
}

void ZygoteClient::receive(milliseconds timeout) {
  pollfd waited{socket_, POLLIN, 0};
  if (poll(&waited, 1, static_cast<int>(timeout.count())) <= 0) return;
  while (true) {
    Message message;
    const ssize_t size = recv(socket_, &message, sizeof message, MSG_DONTWAIT);
    if (size == sizeof message) {
      take(message);
      // What it says is looked at first: if it cannot serve, it says so and ends.
      if (message.type == Message::Type::kHello) return;
      continue;
    }
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (answered_ && !hello_) return;  // its hello says why it has ended
    if (ready_ && starts_ < kMostStarts && starts_in_vain_ < kMostStartsInVain) {
      start_again();
      return;
    }
    if (const std::string* library = loading())
      throw SetupError(ended_by_loading(*library, pid_, output()));
    throw SetupError((answered_ ? "the worker process has ended unexpectedly."
                                : "the worker process could not start.") +
                     last_words());
  }
}

std::optional<int> ZygoteClient::take_ended(int index) {
  SlotState& state = slots_[static_cast<std::size_t>(index)];
  const Slot& s = slot(index);
  if (state.running && s.job.stays && s.finished.load(std::memory_order_acquire) != 0) {
    state.running = false;
    ++state.jobs_done;
    return 0;
  }
  return std::exchange(state.ended, std::nullopt);
}

void ZygoteClient::kill(std::span<const int> slots) {
  EndWait wait(pulse_);
  const auto is_there = [&](int index) { return running(index) || stays(index); };
  while (std::ranges::any_of(slots, is_there)) {
    for (const int index : slots) {
      // The child may have been asked for and not exist yet.
      if (is_there(index) && child(index) > 0) ::kill(child(index), SIGKILL);
    }
    receive(milliseconds(5));
    if (std::ranges::any_of(slots, is_there) && wait.is_over()) fail_to_end();
  }
}

const std::string* ZygoteClient::loading() const {
  const std::size_t place = memory_->loading.load();
  return place > 0 && place <= command_.libraries.size() ? &command_.libraries[place - 1] : nullptr;
}

std::string ZygoteClient::output() const {
  std::string text = end_of_output(output_, 4096);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string ZygoteClient::last_words() const {
  const std::string text = output();
  return text.empty() ? "" : " It said: " + text;
}

}  // namespace indexfuzz
