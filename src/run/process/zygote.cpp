#include "run/process/zygote.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "case/strings/nearest_name.h"
#include "ops/contract/parse_contract.h"
#include "run/call/implementation.h"
#include "run/call/libraries.h"
#include "run/call/meta_implementations.h"
#include "run/call/python_file.h"
#include "run/gpu/device_library.h"
#include "run/native/native_coverage.h"
#include "run/native/traps.h"
#include "run/process/children_ended.h"
#include "run/process/hello_text.h"
#include "run/process/worker.h"
#include "run/session/places.h"
#include "run/shared/child_processes.h"
#include "run/shared/cuda_driver.h"
#include "run/shared/protocol.h"
#include "run/watch/guarded_allocator.h"
#include "run/watch/memory_limit.h"
#include "run/watch/resources.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

struct Mapping {
  SharedMemory* memory = nullptr;
  int slots = 0;
};

Mapping map_memory(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || static_cast<std::size_t>(status.st_size) < sizeof(SharedMemory))
    return {};
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED) return {};
  return {static_cast<SharedMemory*>(address),
          static_cast<int>((bytes - sizeof(SharedMemory)) / sizeof(Slot))};
}

bool send_message(int control, const Message& message) {
  return send(control, &message, sizeof message, MSG_NOSIGNAL) ==
         static_cast<ssize_t>(sizeof message);
}

/// Returns an error, or an empty string.
std::string find_operators(const std::vector<std::string>& names,
                           std::vector<const OperatorInfo*>& found) {
  std::vector<std::string> all;
  for (const OperatorInfo* op : operators()) all.emplace_back(op->name);
  for (const std::string& name : names) {
    const OperatorInfo* const op = find_operator(name);
    if (op == nullptr) return "'" + name + "' is not an operator" + did_you_mean(name, all);
    found.push_back(op);
  }
  if (found.empty()) found.assign(operators().begin(), operators().end());
  return {};
}

/// Sets the error and the notes. If a library ends this process, `memory.loading` tells the
/// supervisor which one it was.
void load_libraries(const std::vector<std::string>& libraries, SharedMemory& memory,
                    ZygoteSetUp& result) {
  const unsigned control = float_control();
  std::int64_t threads = held_now(Resource::kThreads);
  for (std::size_t i = 0; i < libraries.size() && result.error.empty(); ++i) {
    memory.loading = static_cast<std::uint32_t>(i + 1);
    result.error = load_library(libraries[i]);
    const std::int64_t more = held_now(Resource::kThreads) - threads;
    threads += more;
    // A forked process has none of these threads. Those of numpy are prepared for that.
    if (more > 0 && !libraries[i].ends_with(".py"))
      result.notes.push_back(
          libraries[i] +
          " starts threads as it is loaded, which the processes that call its kernels do not have: "
          "a kernel that waits for one never returns. One that is started by the first call works");
    if (float_control() == control) continue;
    // Every operator would be blamed for that.
    set_float_control(control);
    result.notes.push_back(
        libraries[i] +
        " changes how the processor treats floating-point numbers as it is loaded, as what is "
        "linked with -ffast-math does: in a program that loads it, denormals are 0 in every "
        "operator. Here that is put back");
  }
  memory.loading = 0;
}

ZygoteSetUp set_up(const ZygoteOptions& options, SharedMemory& memory) {
  ZygoteSetUp result;
  result.error = torch_mismatch();
  // Use no foreign MPS server, not even in a plugin that starts CUDA as it is loaded.
  setenv("CUDA_MPS_PIPE_DIRECTORY", kNoMps, 1);
  // Before any plugin: PyTorch checks only once whether it has CUDA.
  int gpus = 0;
  if (result.error.empty() && may_need_gpu(options.implementations)) {
    result.gpus = visible_devices(result.no_gpu);
    if (!result.gpus.empty()) result.no_gpu = load_device_library();
    if (result.no_gpu.empty()) gpus = static_cast<int>(result.gpus.size());
  }
  if (result.error.empty() && names_meta(options.implementations)) {
    if (const std::string missing = import_python_torch(); !missing.empty())
      result.notes.push_back("what PyTorch registers in Python for calls on meta is not tested: " +
                             missing);
  }
  if (result.error.empty()) load_libraries(options.libraries, memory, result);
  std::vector<const OperatorInfo*> requested;
  if (result.error.empty()) result.error = find_operators(options.operators, requested);
  if (result.error.empty() && !options.contract.empty()) {
    ParsedContract parsed = parse_contract(options.contract, "the contract", requested);
    result.error = std::move(parsed.error);
    result.contract = std::make_unique<const Contract>(std::move(parsed.contract));
  }
  if (!result.error.empty()) return result;
  Resolved resolved = resolve(options.implementations, requested, gpus, result.contract.get());
  result.error = resolved.error;
  result.left_out = std::move(resolved.left_out);
  result.device_missing = resolved.device_missing;
  if (result.device_missing && !result.no_gpu.empty()) result.error += ": " + result.no_gpu;
  if (resolved.implementations.size() > kMaxImplementations) {
    result.error = "too many implementations: " + std::to_string(resolved.implementations.size()) +
                   " were named, " + std::to_string(kMaxImplementations) + " is the limit";
  }
  if (result.error.empty()) result.implementations = std::move(resolved.implementations);
  result.operators = std::move(requested);
  return result;
}

void write_hello(SharedMemory& memory, const ZygoteSetUp& set_up) {
  std::string text = hello_text(set_up);
  if (text.size() > kHelloBytes) {
    ZygoteSetUp none;
    none.error = "the implementations have too many forms to list; name fewer";
    text = hello_text(none);
  }
  memory.hello_size = text.size();
  std::memcpy(memory.hello, text.data(), text.size());
}

/// What the zygote prints is kept, in case it does not start. What a kernel prints is not, but
/// printing must not fail: Python's print would throw.
void print_to_nowhere() {
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null < 0) return;
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) dup2(null, output);
  close(null);
}

[[noreturn]] void become_child(std::span<const Implementation> implementations,
                               const Mapping& mapping, int slot_index, pid_t zygote, int control,
                               const ChildrenEnded& ended) {
  Slot& slot = mapping.memory->slots[slot_index];
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != zygote) _exit(1);
  ended.leave();
  close(control);
  print_to_nowhere();
  // A GPU's driver maps more memory than any limit would leave to it.
  if (!calls_gpus(slot.job, implementations)) limit_memory();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  carry_out(implementations, *mapping.memory, slot);
  std::fflush(nullptr);
  _exit(0);  // a crash in a plugin's destructor is not a finding
}

/// A system that has no process to spare at the moment may have one soon.
pid_t fork_patiently() {
  constexpr int kTries = 50;
  pid_t pid = fork();
  for (int i = 1; i < kTries && pid < 0; ++i) {
    usleep(100'000);
    pid = fork();
  }
  return pid;
}

/// The children that run: by slot, 0 for none.
using Children = std::array<pid_t, kMaxSlots>;

/// Tells the supervisor of every child that has ended; false if it cannot be reached.
bool reap(int control, Children& children) {
  while (true) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid <= 0) return true;
    for (std::size_t slot = 0; slot < children.size(); ++slot) {
      if (children[slot] != pid) continue;
      children[slot] = 0;
      if (!send_message(control, {Message::Type::kEnded, static_cast<std::int32_t>(slot), status}))
        return false;
    }
  }
}

/// Kills what an ended child left running; `kept` are the children from before any job.
void end_strays(const Children& children, std::span<const pid_t> kept) {
  for (const pid_t pid : child_processes(getpid(), getpid())) {
    const auto is = [pid](pid_t other) { return other == pid; };
    if (std::none_of(children.begin(), children.end(), is) &&
        std::none_of(kept.begin(), kept.end(), is))
      kill(pid, SIGKILL);
  }
}

void end_children(const Children& children) {
  for (const pid_t pid : children) {
    if (pid != 0) kill(pid, SIGKILL);
  }
  for (const pid_t pid : children) {
    if (pid != 0) waitpid(pid, nullptr, 0);
  }
}

void serve(const ZygoteOptions& options, const Mapping& mapping,
           std::span<const Implementation> implementations) {
  const pid_t self = getpid();
  const int slots = std::min(mapping.slots, kMaxSlots);
  const ChildrenEnded ended;
  Children children{};
  // A process that a kernel starts and leaves becomes a child of this process.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const std::vector<pid_t> kept = child_processes(self, self);
  while (true) {
    std::array<pollfd, 2> events{{{options.control, POLLIN, 0}, {ended.fd(), POLLIN, 0}}};
    if (poll(events.data(), events.size(), -1) < 0) {
      if (errno == EINTR) continue;
      break;
    }
    if ((events[1].revents & POLLIN) != 0) {
      ended.clear();
      if (!reap(options.control, children)) break;
      end_strays(children, kept);
    }
    if (events[0].revents == 0) continue;
    Message message{};
    const ssize_t size = recv(options.control, &message, sizeof message, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size != static_cast<ssize_t>(sizeof message)) break;
    if (message.type != Message::Type::kStart || message.slot < 0 || message.slot >= slots)
      continue;
    pid_t& child = children[static_cast<std::size_t>(message.slot)];
    if (child != 0) continue;  // the supervisor starts a slot again only when it has ended
    if (options.native_coverage) retire_reached_traps();
    const pid_t pid = fork_patiently();
    if (pid == 0)
      become_child(implementations, mapping, message.slot, self, options.control, ended);
    if (pid < 0) {
      if (!send_message(options.control,
                        {Message::Type::kEnded, message.slot, kNoProcessExit << 8}))
        break;
      continue;
    }
    child = pid;
    if (!send_message(options.control, {Message::Type::kStarted, message.slot, pid})) break;
  }
  end_children(children);
}

}  // namespace

int run_zygote(const ZygoteOptions& options) {
  const Mapping mapping = map_memory(options.memory);
  if (mapping.memory == nullptr) {
    std::fprintf(stderr, "indexfuzz-worker: --memory %d is not indexfuzz's shared memory\n",
                 options.memory);
    return 1;
  }
  if (mapping.memory->build != build_stamp()) {
    std::fputs("indexfuzz-worker is of another build than indexfuzz: build or install both again\n",
               stderr);
    return 1;
  }
  const rlimit no_core{0, 0};  // crashes are results here, and a core file each would fill the disk
  setrlimit(RLIMIT_CORE, &no_core);
  const ZygoteSetUp ready = set_up(options, *mapping.memory);
  write_hello(*mapping.memory, ready);
  if (ready.error.empty()) install_guarded_allocator();
  if (ready.error.empty() && options.native_coverage)
    install_native_coverage(mapping.memory->native, ready.operators);
  if (!send_message(options.control, {Message::Type::kHello, -1, 0})) return 1;
  if (!ready.error.empty()) return 1;
  serve(options, mapping, ready.implementations);
  return 0;
}

}  // namespace indexfuzz
