#include "run/native/traps.h"

#include <algorithm>

#if defined(__x86_64__)

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace indexfuzz {
namespace {

constexpr std::uint8_t kTrap = 0xCC;  // int3

// The handler's data: it must not allocate, and this must not change while it runs.
struct Traps {
  std::span<std::uint8_t> code;
  std::vector<std::uint8_t*> addresses;
  std::vector<std::uint8_t> originals;  ///< the byte that each address holds without its trap
  std::vector<std::uint8_t> set;        ///< 1 if this process has the trap in place
  TrapNotes notes;
  std::atomic<std::size_t> fired{0};  ///< in this process
  struct sigaction before {};         ///< the handling of SIGTRAP
  std::uintptr_t page = 0;
};
Traps traps;
std::atomic_flag changing_code = ATOMIC_FLAG_INIT;

bool make_writable(std::span<std::uint8_t> code, bool writable) {
  const auto begin = reinterpret_cast<std::uintptr_t>(code.data()) & ~(traps.page - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(code.data() + code.size());
  return mprotect(reinterpret_cast<void*>(begin), end - begin,
                  PROT_READ | PROT_EXEC | (writable ? PROT_WRITE : 0)) == 0;
}

/// A store that another thread executing this byte sees whole.
void write_code(std::uint8_t* address, std::uint8_t byte) {
  std::atomic_ref(*address).store(byte, std::memory_order_release);
}

/// Removes a trap; false if it cannot. The code stays writable for no longer than one store, since
/// a kernel's stray write must fault.
bool take_away(std::size_t index) {
  while (changing_code.test_and_set(std::memory_order_acquire)) __builtin_ia32_pause();
  bool gone = traps.set[index] == 0;
  if (!gone) {
    std::span<std::uint8_t> changed(traps.addresses[index], 1);
    // A process that has as many mappings as it may have can change only a whole one's protection.
    gone = make_writable(changed, true);
    if (!gone) gone = make_writable(changed = traps.code, true);
    if (gone) {
      write_code(traps.addresses[index], traps.originals[index]);
      traps.set[index] = 0;
      make_writable(changed, false);
    }
  }
  changing_code.clear(std::memory_order_release);
  return gone;
}

/// The index of the trap at an address; the number of traps if there is none.
std::size_t find_trap(const std::uint8_t* address) {
  const auto at = std::lower_bound(traps.addresses.begin(), traps.addresses.end(), address);
  return at != traps.addresses.end() && *at == address
             ? static_cast<std::size_t>(at - traps.addresses.begin())
             : traps.addresses.size();
}

/// Makes each block that this process reaches another feature for libFuzzer, which distinguishes
/// these values of a counter; so a few counters suffice.
void count() {
  constexpr std::uint8_t kValues[] = {1, 2, 3, 4, 8, 16, 32, 128};
  const std::size_t counters = traps.notes.counters.size();
  if (counters == 0) return;
  const std::size_t number = traps.fired.fetch_add(1, std::memory_order_relaxed);
  std::atomic_ref(traps.notes.counters[number % counters])
      .store(kValues[number / counters % std::size(kValues)], std::memory_order_relaxed);
}

void pass_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction& before = traps.before;
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler == SIG_IGN && info->si_code <= 0) {
    return;
  } else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
    // Dies of it as soon as this handler has returned.
    ::signal(signal, SIG_DFL);
    raise(signal);
  } else {
    before.sa_handler(signal);
  }
}

extern "C" void on_trap(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  auto* const address = reinterpret_cast<std::uint8_t*>(registers[REG_RIP]) - 1;
  // Raised by the processor, not sent by kill().
  const std::size_t index = info->si_code > 0 ? find_trap(address) : traps.addresses.size();
  if (index == traps.addresses.size() || !take_away(index)) {
    pass_on(signal, info, context);
  } else {
    traps.notes.reached[index].store(1, std::memory_order_relaxed);
    count();
    registers[REG_RIP] = reinterpret_cast<greg_t>(address);
  }
  errno = error;
}

/// Writes the trap, or else the original, to every byte that `chosen` selects. False if the code
/// cannot be made writable.
template <class Chosen>
bool write_all(bool trapped, Chosen chosen) {
  std::size_t first = 0;
  while (first < traps.addresses.size() && !chosen(first)) ++first;
  if (first == traps.addresses.size()) return true;
  std::size_t last = traps.addresses.size() - 1;
  while (!chosen(last)) --last;
  const std::span changed(traps.addresses[first], traps.addresses[last] + 1);
  if (!make_writable(changed, true)) return false;
  for (std::size_t i = first; i <= last; ++i) {
    if (!chosen(i)) continue;
    write_code(traps.addresses[i], trapped ? kTrap : traps.originals[i]);
    traps.set[i] = trapped ? 1 : 0;
  }
  make_writable(changed, false);
  return true;
}

}  // namespace

std::string set_traps(std::span<std::uint8_t> code, std::vector<std::uint8_t*> addresses,
                      const TrapNotes& notes) {
  traps.page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  traps.code = code;
  traps.addresses = std::move(addresses);
  traps.notes = notes;
  traps.originals.clear();
  for (const std::uint8_t* address : traps.addresses) traps.originals.push_back(*address);
  traps.set.assign(traps.addresses.size(), 0);
  struct sigaction action {};
  action.sa_sigaction = &on_trap;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGTRAP, &action, &traps.before);
  if (write_all(true, [](std::size_t) { return true; })) return {};
  const std::string error = strerror(errno);
  sigaction(SIGTRAP, &traps.before, nullptr);
  return "the code cannot be made writable: " + error;
}

void retire_reached_traps() {
  write_all(false, [](std::size_t i) {
    return traps.notes.reached[i].load(std::memory_order_relaxed) != 0 && traps.set[i] != 0;
  });
}

}  // namespace indexfuzz

#else

namespace indexfuzz {

std::string set_traps(std::span<std::uint8_t>, std::vector<std::uint8_t*>, const TrapNotes&) {
  return "the traps are instructions of x86-64, and this is another processor";
}
void retire_reached_traps() {}

}  // namespace indexfuzz

#endif
