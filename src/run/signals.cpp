#include "run/signals.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

#include "memory/guarded_heap.h"

namespace indexfuzz {
namespace {

std::atomic<Slot*> noted_slot{nullptr};
std::atomic<const Arena*> watched_arena{nullptr};
alignas(64) std::byte handler_stack[std::size_t{64} << 10];

extern "C" void on_fatal_signal(int signal, siginfo_t* info, void*) {
  // A lock that the dying thread holds must not turn the death into a hang.
  alarm(2);
  Slot* const slot = noted_slot.load();
  if (slot != nullptr) {
    slot->fault_operand.store(-1);
    slot->fault_in_heap.store(0);
    if (signal == SIGSEGV || signal == SIGBUS) {
      slot->fault_address.store(reinterpret_cast<std::uintptr_t>(info->si_addr));
      const Arena* const arena = watched_arena.load();
      const int operand = arena == nullptr ? -1 : arena->operand_at(info->si_addr);
      slot->fault_operand.store(operand);
      slot->signal.store(signal);
      if (operand < 0) {
        slot->fault_in_heap.store(GuardedHeap::instance().allocation_at(info->si_addr) >= 0 ? 1
                                                                                            : 0);
      }
    } else {
      slot->fault_address.store(0);
      slot->signal.store(signal);
    }
  }
  raise(signal);  // delivered with the default action when this handler has returned
}

}  // namespace

void note_fatal_signals(Slot& slot) {
  noted_slot.store(&slot);
  stack_t stack{};
  stack.ss_sp = handler_stack;
  stack.ss_size = sizeof handler_stack;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = &on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    sigaction(signal, &action, nullptr);
}

void watch_arena(const Arena* arena) {
  watched_arena.store(arena);
}

}  // namespace indexfuzz
