#pragma once
// What the C++ programs watch besides operands and result: allocations, global state, and the
// resources that the process holds.

#include <string_view>

namespace indexfuzz {

/// Puts every allocation of the call against an inaccessible page.
inline constexpr std::string_view kCppHeap = R"code(
// Every allocation between inaccessible pages, as close to the last one as an alignment of 64
// bytes permits, or at the first one.
struct Block {
  unsigned char *begin, *data, *end;
  size_t size;
};
std::map<void*, Block> blocks;
bool heap_damaged = false;

bool damaged(const Block& b) {
  for (unsigned char* p = b.begin; p < b.data; ++p)
    if (*p != 0x42) return true;
  for (unsigned char* p = b.data + b.size; p < b.end; ++p)
    if (*p != 0x42) return true;
  return false;
}
void give_back(void* data) {
  const auto block = blocks.find(data);
  if (block == blocks.end()) return;
  heap_damaged |= damaged(block->second);
  const int64_t page = sysconf(_SC_PAGESIZE);
  munmap(block->second.begin - page, block->second.end - block->second.begin + 2 * page);
  blocks.erase(block);
}
struct GuardedAllocator final : at::Allocator {
  at::DataPtr allocate(size_t size) override {
    if (size == 0) return {nullptr, nullptr, &give_back, at::kCPU};
    const size_t page = sysconf(_SC_PAGESIZE), room = (size + 63) / page * page + page;
    unsigned char* begin =
        static_cast<unsigned char*>(mmap(nullptr, room + 2 * page, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) +
        page;
    mprotect(begin - page, page, PROT_NONE);
    mprotect(begin + room, page, PROT_NONE);
    memset(begin, 0x42, room);
    unsigned char* data = kHeapFlushLeft ? begin : begin + room - (size + 63) / 64 * 64;
    blocks[data] = {begin, data, begin + room, size};
    return {data, data, &give_back, at::kCPU};
  }
  at::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* to, const void* from, size_t size) const override {
    default_copy_data(to, from, size);
  }
} guarded_allocator;
)code";

/// Limits the process to 2 GiB more than it holds before the call.
inline constexpr std::string_view kCppMemoryLimit = R"code(
void limit_memory() {
  FILE* file = fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (file == nullptr || fscanf(file, "%*s %*s %*s %*s %*s %lu", &pages) != 1) return;
  fclose(file);
  rlimit limit;
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = pages * sysconf(_SC_PAGESIZE) + (rlim_t{2} << 30);
  setrlimit(RLIMIT_DATA, &limit);
}
)code";

/// `State::now()`: the global state that every call depends on, as far as a program can see it.
inline constexpr std::string_view kCppState = R"code(
const int kSignals[] = {SIGINT,  SIGTERM, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,
                        SIGABRT, SIGPIPE, SIGUSR1, SIGUSR2, SIGCHLD, SIGALRM};

// A handler that is nobody's default: also what sets the default then shows.
void handle_signals() {
  for (int number : kSignals)
    if (number != SIGCHLD) signal(number, _exit);
}

// Which exceptions of floating-point numbers are masked, and whether denormals are 0.
unsigned float_control() {
#ifdef __SSE__
  return __builtin_ia32_stmxcsr() & ~0x603Fu;
#else
  return 0;
#endif
}

struct State {
  bool grad_mode, deterministic;
  unsigned float_control;
  int threads, rounding;
  c10::DispatchKeySet included, excluded;
  at::ScalarType default_dtype;
  at::Float32MatmulPrecision precision;
  bool onednn, warns_always;
  c10::WarningHandler* warning_handler;
  std::string random;
  mode_t mask;
  std::string folder, locale;
  std::vector<bool> open, blocked;
  std::vector<sighandler_t> handling;
  cpu_set_t processors;
  int priority;
  std::vector<std::string> variables;

  static State now() {
    const auto keys = c10::impl::tls_local_dispatch_key_set();
    State state{c10::GradMode::is_enabled(), at::globalContext().deterministicAlgorithms(), ::float_control(),
                at::get_num_threads(), fegetround(), keys.included_, keys.excluded_,
                c10::get_default_dtype_as_scalartype(),
                at::globalContext().float32MatmulPrecision(), at::globalContext().userEnabledMkldnn(),
                c10::WarningUtils::get_warnAlways(), c10::WarningUtils::get_warning_handler(), {}, umask(0), {}, setlocale(LC_ALL, nullptr), {}, {}, {}, {}, {}, {}};
    umask(state.mask);
    std::vector<char> path(1 << 16);
    if (getcwd(path.data(), path.size()) != nullptr) state.folder = path.data();
    const at::Tensor random = at::detail::getDefaultCPUGenerator().get_state();
    state.random.assign(static_cast<const char*>(random.const_data_ptr()), random.nbytes());
    CPU_ZERO(&state.processors);
    sched_getaffinity(0, sizeof state.processors, &state.processors);
    state.priority = getpriority(PRIO_PROCESS, 0);
    for (char** variable = environ; *variable != nullptr; ++variable) state.variables.push_back(*variable);
    struct stat status;
    for (int fd = 0; fd < 256; ++fd) state.open.push_back(fstat(fd, &status) == 0);
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    for (int number = 1; number < NSIG; ++number) state.blocked.push_back(sigismember(&blocked, number) == 1);
    for (int number : kSignals) {
      struct sigaction action;
      sigaction(number, nullptr, &action);
      state.handling.push_back(action.sa_handler);
    }
    return state;
  }
};
)code";

inline constexpr std::string_view kCppStateCheck = R"code(    const State after = State::now();
    if (after.grad_mode != before.grad_mode) wrong = "it changed grad mode";
    if (after.deterministic != before.deterministic) wrong = "it changed the deterministic flag";
    if (after.float_control != before.float_control)
      wrong = "it changed the treatment of denormals or floating-point exceptions";
    if (after.threads != before.threads) wrong = "it changed the number of threads";
    if (after.rounding != before.rounding) wrong = "it changed the rounding mode";
    if (after.included != before.included || after.excluded != before.excluded)
      wrong = "it changed the dispatch keys";
    if (after.default_dtype != before.default_dtype) wrong = "it changed the default dtype";
    if (after.precision != before.precision) wrong = "it changed the precision of matrix products";
    if (after.onednn != before.onednn) wrong = "it changed whether oneDNN is used";
    if (after.warns_always != before.warns_always) wrong = "it changed how often warnings come";
    if (after.warning_handler != before.warning_handler) wrong = "it changed the warning handler";
    if (after.random != before.random) wrong = "it changed the state of the random generator";
    if (!CPU_EQUAL(&after.processors, &before.processors)) wrong = "it changed on which processors it may run";
    if (after.priority != before.priority) wrong = "it changed its priority";
    if (after.variables != before.variables) wrong = "it changed environment variables";
    if (after.folder != before.folder) wrong = "it changed the current folder";
    if (after.mask != before.mask) wrong = "it changed the umask";
    if (after.blocked != before.blocked) wrong = "it changed which signals are blocked";
    if (after.handling != before.handling) wrong = "it changed how signals are handled";
    if (after.locale != before.locale) wrong = "it changed the locale";
    for (size_t fd = 0; fd < before.open.size(); ++fd)
      if (before.open[fd] && !after.open[fd]) wrong = "it closed a file that it had not opened";
)code";

/// The metadata of a tensor before the call, to be compared with afterwards.
inline constexpr std::string_view kCppForm = R"code(
struct Form {
  const char* name;
  at::Tensor tensor;
  std::vector<int64_t> sizes = tensor.sizes().vec(), strides = tensor.strides().vec();
  const void* data = tensor.const_data_ptr();
  at::ScalarType dtype = tensor.scalar_type();

  bool stands() const {
    return tensor.sizes() == sizes && tensor.strides() == strides && tensor.const_data_ptr() == data &&
           tensor.scalar_type() == dtype && !tensor.is_conj() && !tensor.is_neg() && !tensor.requires_grad();
  }
};
)code";

inline constexpr std::string_view kCppFormCheck = R"code(    for (const Form& form : forms)
      if (!form.stands())
        wrong = std::string(form.name) + " has other sizes, strides, memory or flags after the call";
)code";

/// {0} is the tensor that came back.
inline constexpr std::string_view kCppFlagsCheck =
    R"code(    if ({0}.requires_grad()) wrong = "the result requires a gradient";
    if ({0}.is_inference()) wrong = "the result is an inference tensor";
)code";

inline constexpr std::string_view kCppOverlapCheck =
    R"code(    std::vector<std::pair<int64_t, int64_t>> dims;
    for (int64_t d = 0; d < actual.dim(); ++d)
      if (actual.size(d) > 1 && actual.numel() > 0) dims.emplace_back(actual.stride(d), actual.size(d));
    std::sort(dims.begin(), dims.end());
    int64_t reach = 0;
    for (const auto& [stride, size] : dims) {
      if (stride <= reach) wrong = "elements of the result share memory";
      reach += stride * (size - 1);
    }
)code";

/// Goes after earlier calls that append their results to `earlier_results`.
inline constexpr std::string_view kCppEarlierCheck =
    R"code(    for (const at::Tensor& earlier : earlier_results) {
      if (actual.numel() > 0 && earlier.numel() > 0 &&
          actual.storage().data() == earlier.storage().data())
        wrong = "the result shares memory with an earlier result";
    }
)code";

/// `Held::now()`: the resources that the process holds.
inline constexpr std::string_view kCppHeld = R"code(
struct Held {
  int64_t processes, threads, files, memory;
  static Held now() {
    int64_t processes = 0;
    FILE* children = fopen(("/proc/self/task/" + std::to_string(getpid()) + "/children").c_str(), "r");
    for (int pid; children != nullptr && fscanf(children, "%d", &pid) == 1;) ++processes;
    if (children != nullptr) fclose(children);
    struct stat status;
    const int64_t threads = stat("/proc/self/task", &status) == 0 ? status.st_nlink - 2 : 0;
    const int file = dup(0);  // the lowest number that is free
    close(file);
    const auto info = mallinfo2();
    return {processes, threads, file, static_cast<int64_t>(info.uordblks + info.hblkhd)};
  }
};
)code";

/// A leak grows in each of several rounds, which a cache does not.
inline constexpr std::string_view kCppLeakCheck = R"code(    const auto grows_by = [&](int calls) {
      const Held before = Held::now();
      for (int i = 0; i < calls; ++i) call();
      const Held after = Held::now();
      return Held{after.processes - before.processes, after.threads - before.threads, after.files - before.files, after.memory - before.memory};
    };
    grows_by(64);
    bool processes = true, threads = true, files = true, memory = true;
    for (int round = 0; round < 3; ++round) {
      const Held growth = grows_by(32);
      processes &= growth.processes >= 8;
      threads &= growth.threads >= 8;
      files &= growth.files >= 8;
    }
    if (processes) wrong = "it leaves processes running";
    if (threads) wrong = "it leaves threads running";
    if (files) wrong = "it leaves files open";
    memory = !processes && !threads && !files;
    for (int calls = 64; calls <= 4096 && memory; calls *= 4)
      memory = grows_by(calls).memory >= 8 * calls;
    if (memory) wrong = "it does not give back memory";
)code";

}  // namespace indexfuzz
