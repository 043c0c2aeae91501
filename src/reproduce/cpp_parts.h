#pragma once
// The fixed parts of the C++ programs.

#include <string_view>

namespace indexfuzz {

/// How operands get into memory, and how they are compared afterwards.
inline constexpr std::string_view kCppOperands = R"code(using Ints = std::vector<int64_t>;

// Calls f(row-major index, place in elements) for every element of a view.
template <typename F>
void each(const Ints& sizes, const Ints& strides, F f) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, place = 0;
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) place += rest % sizes[d] * strides[d];
    f(i, place);
  }
}

// A view between inaccessible pages, flush with one of them; every byte that is not its
// own is 0xFE.
struct Operand {
  const char* name;
  Ints sizes, strides;
  int64_t item;
  unsigned char *begin, *end, *data;
  at::Tensor tensor;
  std::vector<unsigned char> before;

  Operand(const char* name, at::ScalarType dtype, const void* values, Ints sizes,
          Ints strides, int64_t offset, int64_t extent, bool left)
      : name(name), sizes(sizes), strides(strides), item(c10::elementSize(dtype)) {
    const int64_t page = sysconf(_SC_PAGESIZE), bytes = extent * item;
    const int64_t room = bytes / page * page + 2 * page;
    begin =
        static_cast<unsigned char*>(mmap(nullptr, room + 2 * page, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) +
        page;
    end = begin + room;
    mprotect(begin - page, page, PROT_NONE);
    mprotect(end, page, PROT_NONE);
    memset(begin, 0xFE, room);
    data = left ? begin : end - bytes;
    put(values);
    before.assign(begin, end);
    // The storage begins before the view, perhaps in the inaccessible page: nobody may
    // touch that part.
    tensor = at::from_blob(
        data - offset * item, sizes, strides, offset, [](void*) {},
        at::TensorOptions().dtype(dtype), c10::nullopt);
  }
  void put(const void* values) {
    each(sizes, strides, [&](int64_t i, int64_t place) {
      memcpy(data + place * item, static_cast<const char*>(values) + i * item, item);
    });
  }
  Operand(const Operand&) = delete;
  ~Operand() {
    const int64_t page = sysconf(_SC_PAGESIZE);
    munmap(begin - page, end - begin + 2 * page);
  }
  bool changed() const { return memcmp(begin, before.data(), before.size()) != 0; }
  void make_resizable() {
    c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
    storage->set_allocator(c10::GetAllocator(c10::DeviceType::CPU));
    storage->set_resizable(true);
  }
};

std::string first_line(const char* text) {
  return std::string(text, strcspn(text, "\n"));
}
)code";

inline constexpr std::string_view kCppCompare = R"code(
// Whether an element is right: the same bits, or NaN in the same parts.
bool same(const unsigned char* a, const unsigned char* b) {
  for (size_t part = 0; part < kItem; part += sizeof(Part)) {
    uint64_t x = 0, y = 0;
    memcpy(&x, a + part, sizeof(Part));
    memcpy(&y, b + part, sizeof(Part));
    const auto nan = [](uint64_t bits) {
      return kInfinity != 0 && (bits & ~(uint64_t{1} << (8 * sizeof(Part) - 1))) > kInfinity;
    };
    if (x != y && !(nan(x) && nan(y))) return false;
  }
  return true;
}

std::string text(const std::vector<unsigned char>& elements) {
  std::ostringstream out;
  out << std::setprecision(17);
  for (size_t at = 0; at < elements.size() && at < 64 * sizeof(Part); at += sizeof(Part)) {
    Part part;
    memcpy(&part, elements.data() + at, sizeof part);
    out << (at == 0 ? "" : ", ");
    if constexpr (std::is_integral_v<Part>)
      out << +part;
    else
      out << static_cast<double>(part);
  }
  return out.str();
}

std::vector<unsigned char> elements_of(const at::Tensor& tensor) {
  std::vector<unsigned char> elements(tensor.numel() * kItem);
  each(tensor.sizes().vec(), tensor.strides().vec(), [&](int64_t i, int64_t place) {
    memcpy(elements.data() + i * kItem,
           static_cast<const unsigned char*>(tensor.const_data_ptr()) + place * (int64_t)kItem,
           kItem);
  });
  return elements;
}
)code";

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
    if (*p != 0xFE) return true;
  for (unsigned char* p = b.data + b.size; p < b.end; ++p)
    if (*p != 0xFE) return true;
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
    memset(begin, 0xFE, room);
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

/// A call may take 2 GiB.
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

/// What every call depends on, as far as a program can see it.
inline constexpr std::string_view kCppState = R"code(
struct State {
  bool grad_mode, deterministic, denormals;
  int threads, rounding;
  c10::DispatchKeySet included, excluded;
  std::vector<bool> open;

  static State now() {
    volatile double least = std::numeric_limits<double>::min();
    const auto keys = c10::impl::tls_local_dispatch_key_set();
    State state{c10::GradMode::is_enabled(), at::globalContext().deterministicAlgorithms(), least / 2 > 0,
                at::get_num_threads(), fegetround(), keys.included_, keys.excluded_, {}};
    struct stat status;
    for (int fd = 0; fd < 256; ++fd) state.open.push_back(fstat(fd, &status) == 0);
    return state;
  }
};
)code";

inline constexpr std::string_view kCppStateCheck = R"code(    const State after = State::now();
    if (after.grad_mode != before.grad_mode) wrong = "it changed grad mode";
    if (after.deterministic != before.deterministic) wrong = "it changed the deterministic flag";
    if (after.denormals != before.denormals) wrong = "it changed the treatment of denormals";
    if (after.threads != before.threads) wrong = "it changed the number of threads";
    if (after.rounding != before.rounding) wrong = "it changed the rounding mode";
    if (after.included != before.included || after.excluded != before.excluded)
      wrong = "it changed the dispatch keys";
    for (size_t fd = 0; fd < before.open.size(); ++fd)
      if (before.open[fd] && !after.open[fd]) wrong = "it closed a file that it had not opened";
)code";

/// What a process holds.
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

/// Something grows in each of several rounds, as no cache does.
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

inline constexpr std::string_view kCppChild = R"code(
int main(int argc, char** argv) {
  int finished[2];
  if (pipe(finished) != 0) return 125;
  const pid_t child = fork();
  if (child == 0) {
    const int code = run(argc, argv);
    fflush(stdout);
    const ssize_t told = write(finished[1], "x", 1);
    _exit(told == 1 ? code : 125);
  }
  close(finished[1]);
  int status = 0;
  for (int hundredths = 0; waitpid(child, &status, WNOHANG) == 0; ++hundredths) {
    usleep(10000);
    if (hundredths < 2000) continue;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    printf("WRONG: no answer within 20 seconds\n");
    return 1;
  }
  char mark;
  if (read(finished[0], &mark, 1) == 1) return WEXITSTATUS(status);
  if (!WIFSIGNALED(status))
    printf("WRONG: the call ended the process, by exit code %d\n", WEXITSTATUS(status));
  else
    printf("WRONG: the call ended the process, by signal %d\n", WTERMSIG(status));
  return 1;
}
)code";

inline constexpr std::string_view kCppHowToCompile =
    R"code(// g++ -std=c++20 repro.cpp -o repro $(python3 -c "import os, torch; d = os.path.dirname(torch.__file__); print(f'-I{d}/include -L{d}/lib -Wl,-rpath,{d}/lib')") -Wl,--no-as-needed -ltorch_cpu -lc10 -ldl -Wl,--allow-shlib-undefined
)code";

inline constexpr std::string_view kCppIncludes = R"code(#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <vector>

)code";

/// Loads `libraries`, or the program's arguments in their place.
inline constexpr std::string_view kCppLoad =
    R"code(  if (argc > 1) libraries.assign(argv + 1, argv + argc);
  for (const std::string& library : libraries) {
    if (dlopen(library.c_str(), RTLD_NOW) == nullptr) {
      printf("cannot tell: %s\n", dlerror());
      return 125;
    }
  }
)code";

/// What follows a call that must be refused.
inline constexpr std::string_view kCppNumber = R"code(
/// An argument that is no tensor, from its bytes.
template <class T>
T number(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
)code";

inline constexpr std::string_view kCppRefusal = R"code(;
      printf("actual:   returned a result\n");
      wrong = "illegal arguments were accepted";
    } catch (const std::exception& error) {
      printf("actual:   %s\n", first_line(error.what()).c_str());
      if (strstr(error.what(), "INTERNAL ASSERT") != nullptr) wrong = "an internal assertion failed";
      if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) wrong = "memory ran out";
    }
)code";

/// The elements of a result whose shape and dtype are right.
inline constexpr std::string_view kCppElements = R"code(      wrong = "shape or dtype";
    } else {
      const std::vector<unsigned char> elements = elements_of(actual);
      const unsigned char* right = reinterpret_cast<const unsigned char*>(expected_values);
      const unsigned char* choices = reinterpret_cast<const unsigned char*>(choice_values);
      printf("expected: %s\nactual:   %s\n", text({right, right + elements.size()}).c_str(), text(elements).c_str());
      for (size_t i = 0; i < elements.size() / kItem; ++i) {
        const unsigned char* element = elements.data() + i * kItem;
        bool good = same(element, right + i * kItem);
        for (size_t j = 0; j < kChoices && !good; ++j) {
          good = choice_elements[j] == (int64_t)i && same(element, choices + j * kItem);
        }
        if (!good) wrong = "element " + std::to_string(i) + " (row-major)";
      }
    }
)code";

/// Behind a call that is made many times under deterministic algorithms.
inline constexpr std::string_view kCppChangeCheck =
    R"code(    static std::vector<unsigned char> first;
    if (attempt == 0) first = elements_of(actual);
    if (first != elements_of(actual)) wrong = "the result differs from that of the first call";
)code";

inline constexpr std::string_view kCppVerdict =
    R"code(      if (operand->changed()) wrong = std::string("the memory of ") + operand->name + " was changed";
    }
    if (!wrong.empty()) {
      printf("WRONG: %s\n", wrong.c_str());
      return 1;
    }
  }
  printf("right\n");
  return 0;
}
)code";

}  // namespace indexfuzz
