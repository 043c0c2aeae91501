#include "run/watch/signals.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>

#include "memory/guarded_heap.h"
#include "run/watch/memory_limit.h"

namespace indexfuzz {
namespace {

std::atomic<Slot*> noted_slot{nullptr};
/// The process whose deaths are noted; one that it forks has the number, too.
std::atomic<pid_t> noting_process{0};
std::atomic<const Arena*> watched_arena{nullptr};
/// The thread whose fault is noted: the first that faulted. 0: none has.
std::atomic<pid_t> noting_thread{0};
alignas(64) std::byte handler_stack[std::size_t{64} << 10];

/// The slot, if it belongs to this very process; null in a process that a kernel forked.
Slot* own_slot() {
  Slot* const slot = noted_slot.load();
  return slot != nullptr && noting_process.load() == getpid() ? slot : nullptr;
}

/// Whether a fault lies where the next stack frame would have been.
bool is_below_stack(const void* address, [[maybe_unused]] const void* context) {
  // A runaway recursion makes frames of this size or less.
  constexpr std::uintptr_t kFrame = 64 << 10;
  std::uintptr_t top = 0;
#if defined(__x86_64__)
  top = static_cast<std::uintptr_t>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  top = static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.sp);
#endif
  return reinterpret_cast<std::uintptr_t>(address) + kFrame - top < 2 * kFrame;
}

/// Dies of the signal's default action, as soon as the handler has returned.
void die_of(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

extern "C" void on_fatal_signal(int signal, siginfo_t* info, void* context) {
  pid_t first = 0;
  if (!noting_thread.compare_exchange_strong(first, gettid())) {
    // Either the noting itself has failed, or another thread is noting and will end this one too.
    if (first == gettid()) return die_of(signal);
    while (true) pause();
  }
  // A lock that the dying thread holds must not turn the death into a hang.
  alarm(2);
  if (Slot* const slot = own_slot()) {
    slot->memory_spent.store(memory_is_spent() ? 1 : 0);
    slot->fault_operand.store(-1);
    slot->fault_in_heap.store(0);
    slot->fault_in_input.store(0);
    if (signal == SIGSEGV || signal == SIGBUS) {
      const Arena* const arena = watched_arena.load();
      const int operand = arena == nullptr ? -1 : arena->operand_holding(info->si_addr);
      slot->fault_operand.store(operand);
      slot->fault_in_input.store(operand >= 0 && arena->is_read_only(info->si_addr) ? 1 : 0);
      slot->stack_overflow.store(operand < 0 && is_below_stack(info->si_addr, context) ? 1 : 0);
      slot->signal.store(signal);
      if (operand < 0 && slot->stack_overflow.load() == 0) {
        slot->fault_in_heap.store(GuardedHeap::instance().allocation_at(info->si_addr) >= 0 ? 1
                                                                                            : 0);
      }
    } else {
      slot->signal.store(signal);
    }
  }
  die_of(signal);
}

/// The first exit handler to run: the destructors of plugins and libraries show nothing and may
/// hang.
extern "C" void on_early_exit(int code, void*) {
  if (own_slot() != nullptr) _exit(code);
}

volatile pid_t forking_process = 0;
extern "C" void before_fork() {
  forking_process = getpid();
}
extern "C" void end_with_parent() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // No signal comes from a parent that died before that line.
  if (getppid() != forking_process) raise(SIGKILL);
}

}  // namespace

void note_deaths(Slot& slot) {
  noting_process.store(getpid());
  noted_slot.store(&slot);
  on_exit(&on_early_exit, nullptr);
  pthread_atfork(&before_fork, nullptr, &end_with_parent);
  stack_t stack{};
  stack.ss_sp = handler_stack;
  stack.ss_size = sizeof handler_stack;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = &on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(signal, &action, nullptr);
}

void stop_noting() {
  noted_slot.store(nullptr);
}

void watch_arena(const Arena* arena) {
  watched_arena.store(arena);
}

}  // namespace indexfuzz
