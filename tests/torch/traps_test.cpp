// Traps on machine code of our own. A process can set traps once, so each test has one of its own.

#include <gtest/gtest.h>

#if defined(__x86_64__)

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include "run/native/traps.h"

namespace indexfuzz {
namespace {

// int f(int x) { return x == 0; }
constexpr std::array<std::uint8_t, 14> kFunction{0x85, 0xFF, 0x74, 0x04, 0x31, 0xC0, 0xC3,
                                                 0x90, 0xB8, 0x01, 0x00, 0x00, 0x00, 0xC3};
// Its blocks: the entry, x != 0, x == 0.
constexpr std::array<std::size_t, 3> kBlocks{0, 4, 8};

/// `copies` of the function, and the notes of their traps in shared memory.
class Functions {
 public:
  explicit Functions(std::size_t copies) : copies_(copies) {
    const std::size_t bytes = copies * kStep;
    code_ = {static_cast<std::uint8_t*>(
                 mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
             bytes};
    for (std::size_t i = 0; i < copies; ++i)
      std::memcpy(code_.data() + i * kStep, kFunction.data(), kFunction.size());
    mprotect(code_.data(), bytes, PROT_READ | PROT_EXEC);
    reached_ = {static_cast<std::atomic<std::uint8_t>*>(mmap(nullptr, copies * kBlocks.size(),
                                                             PROT_READ | PROT_WRITE,
                                                             MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
                copies * kBlocks.size()};
  }

  std::string set() {
    std::vector<std::uint8_t*> addresses;
    for (std::size_t i = 0; i < copies_; ++i) {
      for (const std::size_t block : kBlocks) addresses.push_back(code_.data() + i * kStep + block);
    }
    return set_traps(code_, addresses, {reached_, counters_});
  }

  int call(std::size_t copy, int x) const {
    return reinterpret_cast<int (*)(int)>(code_.data() + copy * kStep)(x);
  }
  std::vector<int> reached(std::size_t copy = 0) const {
    return {reached_.begin() + static_cast<std::ptrdiff_t>(copy * kBlocks.size()),
            reached_.begin() + static_cast<std::ptrdiff_t>((copy + 1) * kBlocks.size())};
  }
  std::uint8_t* code() const { return code_.data(); }
  std::span<const std::uint8_t> counters() const { return counters_; }
  /// How many traps have fired in this process, one round of the counters at most.
  int fired() const { return std::accumulate(counters_.begin(), counters_.end(), 0); }

 private:
  static constexpr std::size_t kStep = 16;
  std::size_t copies_;
  std::span<std::uint8_t> code_;
  std::span<std::atomic<std::uint8_t>> reached_;
  std::vector<std::uint8_t> counters_ = std::vector<std::uint8_t>(64);
};

/// How a process that does this ends, as from waitpid; 0 where it was all true.
int in_a_child(const std::function<bool()>& all_true) {
  const pid_t pid = fork();
  if (pid == 0) _exit(all_true() ? 0 : 1);
  int status = -1;
  waitpid(pid, &status, 0);
  return status;
}

using Reached = std::vector<int>;

TEST(Traps, FireOnceEach) {
  EXPECT_EQ(in_a_child([] {
              Functions f(2);
              bool good = f.set().empty() && f.reached() == Reached{0, 0, 0};
              good &= f.call(0, 5) == 0 && f.reached() == Reached{1, 1, 0} && f.fired() == 2;
              good &= f.call(0, 6) == 0 && f.fired() == 2;
              good &= f.call(0, 0) == 1 && f.reached() == Reached{1, 1, 1} && f.fired() == 3;
              good &= std::memcmp(f.code(), kFunction.data(), kFunction.size()) == 0;
              return good && f.reached(1) == Reached{0, 0, 0};
            }),
            0);
}

TEST(Traps, LeaveTheCodeReadOnly) {
  const int status = in_a_child([] {
    Functions f(1);
    if (!f.set().empty() || f.call(0, 0) != 1) return false;
    f.code()[0] = 0x90;
    return false;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
}

TEST(Traps, ThreadsMayMeetThemTogether) {
  EXPECT_EQ(in_a_child([] {
              constexpr std::size_t kCopies = 2000;
              constexpr int kThreads = 4;
              Functions f(kCopies);
              if (!f.set().empty()) return false;
              std::atomic<int> ready{0}, wrong{0};
              std::vector<std::thread> threads;
              for (int t = 0; t < kThreads; ++t) {
                threads.emplace_back([&] {
                  ++ready;
                  while (ready < kThreads) {
                  }
                  for (std::size_t i = 0; i < kCopies; ++i) {
                    if (f.call(i, 0) != 1 || f.call(i, 1) != 0) ++wrong;
                  }
                });
              }
              for (std::thread& thread : threads) thread.join();
              bool good = wrong == 0;
              for (std::size_t i = 0; i < kCopies; ++i) good &= f.reached(i) == Reached{1, 1, 1};
              return good;
            }),
            0);
}

TEST(Traps, CountersTakeTurnsWithAnotherValueInEachRound) {
  constexpr std::size_t kRounds = 8, kCounters = 64;
  EXPECT_EQ(in_a_child([] {
              Functions f(kRounds * kCounters / 2);
              bool good = f.set().empty();
              std::vector<int> of_first;
              for (std::size_t i = 0; i < kRounds * kCounters / 2; ++i) {
                good &= f.call(i, 1) == 0;  // two blocks
                if (i % (kCounters / 2) == 0) of_first.push_back(f.counters()[0]);
              }
              good &= std::ranges::all_of(f.counters(), [](int value) { return value == 128; });
              return good && of_first == std::vector<int>{1, 2, 3, 4, 8, 16, 32, 128};
            }),
            0);
}

TEST(Traps, ChildrenShareWhatTheyReachAndNotTheirTraps) {
  EXPECT_EQ(in_a_child([] {
              Functions f(1);
              bool good = f.set().empty();
              good &= in_a_child([&] { return f.call(0, 1) == 0 && f.fired() == 2; }) == 0;
              good &= f.reached() == Reached{1, 1, 0} && f.fired() == 0;
              good &= in_a_child([&] { return f.call(0, 0) == 1 && f.fired() == 2; }) == 0;
              good &= f.reached() == Reached{1, 1, 1} && f.fired() == 0;
              return good && f.call(0, 0) == 1 && f.fired() == 2;
            }),
            0);
}

TEST(Traps, ThatOneChildHasReachedStopNoLaterOne) {
  EXPECT_EQ(in_a_child([] {
              Functions f(1);
              bool good = f.set().empty();
              good &= in_a_child([&] { return f.call(0, 1) == 0; }) == 0;
              retire_reached_traps();
              good &= in_a_child([&] {
                        return f.call(0, 1) == 0 && f.fired() == 0 && f.call(0, 0) == 1 &&
                               f.fired() == 1;
                      }) == 0;
              return good && f.reached() == Reached{1, 1, 1};
            }),
            0);
}

std::atomic<int> foreign{0};
extern "C" void note_foreign(int) {
  ++foreign;
}

TEST(Traps, PassOnWhatIsNotTheirs) {
  EXPECT_EQ(in_a_child([] {
              signal(SIGTRAP, note_foreign);
              Functions f(1);
              bool good = f.set().empty();
              asm volatile("int3");
              good &= foreign == 1;
              raise(SIGTRAP);
              good &= foreign == 2;
              return good && f.call(0, 0) == 1 && f.fired() == 2 && foreign == 2;
            }),
            0);
}

TEST(Traps, AForeignOneThatNobodyHandlesKills) {
  const int status = in_a_child([] {
    Functions f(1);
    if (!f.set().empty() || f.call(0, 0) != 1) return false;
    asm volatile("int3");
    return false;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP) << status;
}

}  // namespace
}  // namespace indexfuzz

#endif
