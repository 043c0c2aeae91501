#pragma once
// How the supervisor talks to a zygote and its children.
//
// The supervisor starts a zygote by exec (`indexfuzz-worker --control FD --memory FD …`). They
// share one mapping, a `SharedMemory`, and one SOCK_SEQPACKET socket. The zygote loads torch and
// the plugins, makes its plans, writes its `hello` into the mapping, as JSON, and sends {kHello}:
//   {"error": "a sentence if it cannot serve; nothing else counts then",
//    "device_missing": false, "torch": "2.11.0", "libfuzzer": true, "gpus": ["NVIDIA H200"],
//    "no_gpu": "why none is used", "python_libraries": ["/a/path/libpython3.12.so"],
//    "left_out": ["a sentence for each kernel that is not run"],
//    "notes": ["a sentence for what a library does as it is loaded"],
//    "implementations": [{"name": "aten:cpu", "device": "cpu", "custom": false,
//      "comes_along": false, "forms":
//    [{"operator": "gather", "overload": "", "variant": "functional",
//      "python": "mine.gather({self}, {dim}, {index})", "cpp": "..."}]}]}
// For each {kStart, slot} it forks a child that carries out slots[slot].job and sends {kStarted,
// slot, the child's process id}; when the child has ended it sends {kEnded, slot, wait status}. It
// ends when the socket closes, and its children with it (PR_SET_PDEATHSIG). A child whose job says
// `stays` waits for the next one in its slot (run/process/rounds.h).

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "case/bytes.h"
#include "case/number.h"
#include "judge/verdict.h"
#include "ops/definition/operator.h"
#include "run/shared/batch_calls.h"
#include "run/shared/case_pool.h"
#include "run/shared/case_ring.h"
#include "run/shared/job.h"
#include "run/shared/native_map.h"
#include "run/shared/refused_traits.h"
#include "run/shared/returned_elements.h"
#include "run/shared/shared_failures.h"
#include "run/shared/tally.h"

namespace indexfuzz {

inline constexpr int kMaxSlots = 128;
inline constexpr std::size_t kRunBytes = (kMaxLead + kMaxRunCases) * kEncodedBytes;
inline constexpr std::size_t kHelloBytes = 1 << 18;
/// Exit code of a child that cannot use a GPU at all (missing, too full, or of a kind for which its
/// kernels were not compiled). No case is at fault; the slot says why.
inline constexpr int kDeviceUnusableExit = 87;
/// Exit code reported for a child that the system did not let the zygote fork.
inline constexpr int kNoProcessExit = 88;

struct Message {
  enum class Type : std::uint32_t { kHello, kStart, kStarted, kEnded } type;
  std::int32_t slot;
  /// kStarted: the child's process id, which is not in the mapping, since a kernel may overwrite
  /// what is there. kEnded: its status, as from waitpid.
  std::int32_t number;
};

/// A failing case of a campaign, or the verdict on one case of a run.
struct Report {
  std::uint64_t case_number;
  std::uint32_t implementation;
  Verdict verdict;
};

/// A call that is not judged, made before the one that is.
enum class Unjudged : std::uint32_t {
  kNo,
  kLegalBase,  ///< of an illegal case, to see whether a custom kernel accepts it
  kBlank,      ///< of the case with zeros in place of its values
};

/// One child's share of the mapping.
struct Slot {
  Job job;
  std::atomic<std::uint32_t> stop;  ///< set by the supervisor; the child ends before its next case

  // Where the child is: read by the supervisor when it died or hangs.
  std::atomic<std::uint64_t> case_number;     ///< the case being run (kRun: index into the run)
  std::atomic<std::uint32_t> implementation;  ///< being called; kMaxImplementations between calls
  std::atomic<std::uint64_t> calls;           ///< begun so far
  std::atomic<Unjudged> unjudged;             ///< which call it is, if not that of the case itself
  std::atomic<std::int32_t> signal;           ///< 0, or the fatal signal that its handler noted
  /// What a GPU reported before the child ended, and the cases that were under way there.
  std::atomic<std::int32_t> device_error;  ///< cudaError_t; 0: nothing
  char device_message[160];
  std::atomic<std::uint64_t> batch_first;
  /// The calls under way are of the cases [batch_first, batch_end). 0: no batch is under way, and
  /// the case is case_number.
  std::atomic<std::uint64_t> batch_end;
  BatchCalls<kMaxImplementations> batch_calls;
  std::atomic<std::int32_t> fault_operand;    ///< whose guard page was touched, or -1
  std::atomic<std::int32_t> fault_in_heap;    ///< 1: the guard page of a kernel's own allocation
  std::atomic<std::int32_t> fault_in_input;   ///< 1: an operand that the call must not write
  std::atomic<std::uint32_t> stack_overflow;  ///< 1: the fault lies where the stack ended
  std::atomic<std::uint32_t> memory_spent;    ///< 1: the process had no memory left when it died
  /// Seconds beyond the time limit that the child may take for what is under way: an
  /// implementation's first call in this process, which may compile something, or opening a GPU,
  /// for which processes queue up in the driver. 0: none.
  std::atomic<std::uint32_t> patience;
  /// 1: the child has done what it was asked for. Stays 0 if a kernel calls exit(0).
  std::atomic<std::uint32_t> finished;
  /// 1 for a new child, raised by the supervisor for one that stays.
  std::atomic<std::uint32_t> round;
  std::atomic<std::uint32_t> taken;  ///< the round that the child has begun; 0: none yet

  // kCampaign, kCoverage: a new failure. The child writes `pending`, sets `waiting` and sleeps
  // until the supervisor has added to the known failures (or not) and cleared it.
  std::atomic<std::uint32_t> waiting;
  Report pending;

  // kCoverage
  CaseRing ring;
  FoundCases found;

  // kRun: results of the first `completed` (case, implementation) pairs after the lead, in order.
  std::atomic<std::uint32_t> completed;
  Report results[kMaxRunCases];
  ReturnedElements returned;  ///< of the last call, if the job asks for it
  std::size_t run_size;
  std::byte run_bytes[kRunBytes];  ///< encoded cases, one after another (case/bytes.h)

  SteeringCount steering[kMaxSteered];  ///< of the child and its successors
  // kCampaign: kept from one child of the slot to the next.
  struct LeakSearches {
    std::uint32_t made;
    std::uint32_t looks_to_skip;  ///< before the next search
  };
  LeakSearches counted_searches, memory_searches;

  Tally tallies[kMaxImplementations][kMaxOperators];  ///< operators by their place in operators()
  RefusedTraits refused_traits;  ///< counted from the first case that a kernel refuses
  /// The message with which each implementation refused its first legal case.
  struct Refusal {
    std::atomic<std::uint32_t> said;  ///< 1: the text is there
    char text[124];
  };
  Refusal refusals[kMaxImplementations];
  Mix mix;
  GpuCounters gpu;
};

/// Resets the fields that tell how far a child has come and how it died. For the supervisor, before
/// a child takes the slot's job. What is kept from one child to the next, such as tallies, stays.
inline void reset_progress(Slot& slot) {
  slot.stop = 0;
  slot.case_number = slot.job.type == Job::Type::kRun ? 0 : slot.job.first_case;
  slot.implementation = kMaxImplementations;
  slot.unjudged = Unjudged::kNo;
  slot.signal = 0;
  slot.device_error = 0;
  slot.batch_end = 0;
  slot.fault_operand = -1;
  slot.fault_in_heap = 0;
  slot.fault_in_input = 0;
  slot.stack_overflow = 0;
  slot.memory_spent = 0;
  slot.patience = 0;
  slot.finished = 0;
  slot.waiting = 0;
  slot.completed = 0;
}

struct SharedMemory {
  std::uint64_t build;  ///< build_stamp() of the supervisor; first, where every build finds it
  SilencedFailureList silenced;
  SteeredFailureList steered;
  /// By implementation: the operators that are set aside, which no worker runs on GPUs for now
  /// (campaign/examine/operators_aside.h). Operator p of operators() is bit p % 64 of word p / 64.
  std::atomic<std::uint64_t> set_aside[kMaxImplementations][kMaxOperators / 64];
  /// By implementation: 1 once a call on a table (ops/fills/table.h) took too long; the
  /// implementation is given no more tables.
  std::atomic<std::uint8_t> slow_on_tables[kMaxImplementations];
  CasePool pool;
  /// The place on the command line, from 1, of the library that the zygote is loading; 0: none.
  std::atomic<std::uint32_t> loading;
  std::size_t hello_size;
  char hello[kHelloBytes];
  NativeCoverageMap native;  ///< filled if the zygote was started with --native-coverage
  Slot slots[];              ///< as many as the mapping holds
};

/// A number that differs between programs that do not have the same operators and shared memory, as
/// when only one of them was built again.
inline std::uint64_t build_stamp() {
  std::uint64_t stamp = hash1(sizeof(Slot), sizeof(SharedMemory));
  for (const OperatorInfo* op : operators()) stamp = hash1(op->number, stamp);
  return stamp;
}

inline std::size_t shared_memory_bytes(int slots) {
  return sizeof(SharedMemory) + static_cast<std::size_t>(slots) * sizeof(Slot);
}

}  // namespace indexfuzz
