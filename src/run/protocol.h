#pragma once
// How the supervisor talks to a zygote and its children. Torch-free: both sides include it.
//
// The supervisor starts a zygote by exec (`indexfuzz-worker --control FD --memory FD …`). They
// share one mapping, a `SharedMemory`, and one SOCK_SEQPACKET socket. The zygote loads torch and
// the plugins, makes its plans, writes its `hello` into the mapping, as JSON, and sends {kHello}:
//   {"error": "one sentence, where it cannot serve; nothing else counts then",
//    "device_missing": false, "torch": "2.11.0", "libfuzzer": true, "gpus": ["NVIDIA H200"],
//    "no_gpu": "why none is used", "left_out": ["a sentence for each kernel that cannot be run"],
//    "notes": ["a sentence for what a library does as it is loaded"],
//    "implementations": [{"name": "aten:cpu", "device": "cpu", "custom": false, "forms":
//    [{"operator": "gather", "overload": "", "variant": "functional",
//      "python": "mine.gather({self}, {dim}, {index})", "cpp": "..."}]}]}
// For each {kStart, slot} it forks a child that carries out slots[slot].job
// and sends {kEnded, slot, wait status} when the child has ended. It ends when the socket closes,
// and takes its children with it (PR_SET_PDEATHSIG).
// A child whose job says `stays` waits for the next one in its slot (run/rounds.h).

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "case/bytes.h"
#include "case/limits.h"
#include "draw/draw.h"
#include "judge/signature.h"
#include "judge/verdict.h"
#include "run/batch_calls.h"
#include "run/coverage/case_pool.h"
#include "run/coverage/case_ring.h"
#include "run/native/native_map.h"
#include "run/refused_traits.h"
#include "run/returned.h"

namespace indexfuzz {

inline constexpr int kMaxSlots = 128;
inline constexpr int kMaxImplementations = 64;
inline constexpr int kMaxTargets = 256;
inline constexpr int kMaxKnownFailures = 1024;
inline constexpr int kMaxSteered = 512;
/// The CUDA_MPS_PIPE_DIRECTORY of a process that is to use no MPS server: there is none.
inline constexpr const char* kNoMps = "/dev/null";
inline constexpr int kMaxRunCases = 256;
inline constexpr int kMaxLead = 4096;
inline constexpr std::size_t kRunBytes = (kMaxLead + kMaxRunCases) * kEncodedBytes;
inline constexpr std::size_t kHelloBytes = 1 << 18;
inline constexpr std::size_t kFuzzerFlagBytes = 1 << 10;
inline constexpr std::size_t kPipeBytes = 256;
/// What a child ends with that cannot use a GPU at all, be it missing, too full or of another kind
/// than its kernels were compiled for: no case's fault. Its slot says why.
inline constexpr int kDeviceUnusableExit = 87;
/// What a child seems to have ended with that the system did not let the zygote make.
inline constexpr int kNoProcessExit = 88;
inline constexpr int kElementBuckets = 256 + 24;

struct Message {
  enum class Type : std::uint32_t { kHello, kStart, kEnded } type;
  std::int32_t slot;
  std::int32_t status;  ///< of kEnded, as from waitpid
};

/// A failure that the supervisor has dealt with: a case with this key, all these traits and at
/// least so many elements is a duplicate.
struct KnownFailure {
  std::atomic<std::uint64_t> key;
  std::int64_t least_elements;
  std::uint8_t trait_count;
  Trait traits[TraitSet::static_capacity];
};

/// A finding as far as it can be told of a case before it runs: run/steering.h.
struct SteeredFailure {
  std::uint64_t target;         ///< steering_target
  std::int64_t least_elements;  ///< smaller cases are not like it
  std::uint32_t one_in;         ///< of the cases that run, one in so many may carry its traits
  bool ends_process;
  std::uint8_t trait_count;
  std::uint16_t traits[63];  ///< all of its essential ones
};
/// What one worker has made of the cases of a steered failure's target since it is known.
struct SteeringCount {
  std::uint64_t seen;
  std::uint64_t run;
  std::uint64_t carriers_run;  ///< of those run, with all of its traits
};
/// Form, rule and implementation (its place in the hello's list) as one number.
inline std::uint64_t steering_target(const Case& c, std::size_t implementation) {
  static_assert(sizeof c.op == 2 && sizeof c.overload == 1 && sizeof c.breaks == 1);
  return std::uint64_t{c.op} << 48 | std::uint64_t{c.overload} << 40 |
         static_cast<std::uint64_t>(c.variant) << 32 | std::uint64_t{c.breaks} << 24 |
         static_cast<std::uint64_t>(implementation);
}

/// The same of an illegal case's legal base.
inline std::uint64_t steering_target_of_base(const Case& c, std::size_t implementation) {
  return steering_target(c, implementation) & ~(std::uint64_t{0xFF} << 24);
}

/// What the supervisor asks of a child; written before kStart.
struct Job {
  enum class Type : std::uint32_t {
    kCampaign,  ///< draw and judge cases until `stop`, `end_case` or death
    kRun,       ///< judge the encoded cases of `run_bytes` in order
    kCoverage,  ///< as kCampaign, with cases of one operator that libFuzzer chooses
    kTryGpu,    ///< call nothing, but see that the GPU of `implementation` serves this process
  } type;
  Limits limits;
  bool strict;
  Environment environment;  ///< of all its cases
  std::int64_t
      device_memory;  ///< the most bytes that a GPU is to give; 0: a quarter of what is free
  /// CUDA_MPS_PIPE_DIRECTORY of the child; empty: it keeps away from every MPS server.
  char mps_pipe[kPipeBytes];
  // kCampaign, kCoverage
  std::uint64_t seed;
  std::uint32_t worker;
  std::uint64_t first_case;
  std::uint64_t end_case;  ///< the first number that is not run; UINT64_MAX for no end
  std::uint32_t target_count;
  Target targets[kMaxTargets];
  std::uint32_t host_only;  ///< 1: calls no implementation that is on a GPU
  std::uint32_t gpu_lanes;  ///< threads that call what is PyTorch's own there at once, at most
                            ///< kMaxGpuLanes; 0: one
  // kCoverage
  std::uint32_t plain_bytes;  ///< 1: libFuzzer changes bytes as it does for any target, not cases
  char fuzzer_flags[kFuzzerFlagBytes];  ///< libFuzzer's, beyond our own; each ends with a newline
  // kRun
  /// Index into hello's implementations; kMaxImplementations: all. Of kTryGpu as well.
  std::uint32_t implementation;
  std::uint32_t case_count;  ///< at most lead_count + kMaxRunCases
  /// Of them, the first ones, at most kMaxLead, are only run, once each: they give no result.
  std::uint32_t lead_count;
  std::uint32_t repeats;  ///< of each case, 1 or more; stops a case's repeats at its first finding
  std::uint32_t look_longer;  ///< 1: a case that agrees is called again and again, for
                              ///< leaks and for results that change
  /// 1: a case that agrees is called once more with grad mode on and inputs that cannot be written.
  std::uint32_t stricter;
  std::uint32_t keep_returned;  ///< 1: what the last call returned is kept in the slot
  std::uint32_t warm_up;        ///< 1: a custom implementation is called on a plain case first
  /// 1: of an illegal case the legal base is not called first.
  std::uint32_t without_base;
  /// 1: in place of the implementation, PyTorch's own operators where its operands lie are called.
  std::uint32_t native;
  /// Ends at the first case whose verdict has this shrink key (0: never).
  std::uint64_t stop_at_key;
  /// 1: when it is done the child stays, with the GPUs that it has opened. Without any case it does
  /// nothing but open the implementation's GPU.
  std::uint32_t stays;
};

/// What one implementation made of one operator's cases.
struct Tally {
  std::atomic<std::uint64_t> agreed;
  std::atomic<std::uint64_t>
      refused;  ///< legitimately: illegal cases, and a custom kernel's narrowing
  std::atomic<std::uint64_t> narrowed;     ///< of them, legal cases refused by a custom kernel
  std::atomic<std::uint64_t> unsupported;  ///< "not implemented for" this dtype
  std::atomic<std::uint64_t> vacuous;
  std::atomic<std::uint64_t> steered;      ///< not run: too much like what is already found
  std::atomic<std::uint64_t> passed_over;  ///< not run: a custom kernel refuses the like
  std::atomic<std::uint64_t> findings;     ///< failing cases, duplicates included
  /// Of the latest legal cases without a trait by which a custom kernel narrows itself, the share
  /// that it took; run/narrowing.h.
  std::atomic<double> taken_share;
  /// Of the legal cases that it has refused since it took the last one, how many it would have
  /// taken by that share.
  std::atomic<double> refused_in_a_row;
};

/// What was drawn; cases, not calls.
struct Mix {
  std::atomic<std::uint64_t> cases;
  std::atomic<std::uint64_t> empty;    ///< the result, or everything written, has no element
  std::atomic<std::uint64_t> strided;  ///< some operand's layout is not contiguous
  std::atomic<std::uint64_t> expanded;
  std::atomic<std::uint64_t> overlapping;
  std::atomic<std::uint64_t> sampled;     ///< how many were looked at for the next
  std::atomic<std::uint64_t> duplicates;  ///< an index operand names a position twice
  std::atomic<std::uint64_t> illegal;
  /// Cases by the number of elements of their largest operand; written by `count_elements`.
  std::atomic<std::uint64_t> element_buckets[kElementBuckets];
};

/// Exact below 256 elements, by powers of two from there on.
inline int element_bucket(std::int64_t elements) {
  const auto count = static_cast<std::uint64_t>(elements);
  return count < 256
             ? static_cast<int>(count)
             : std::min(256 + static_cast<int>(std::bit_width(count)) - 9, kElementBuckets - 1);
}
/// Only the child's calling thread counts.
inline void count_elements(Mix& mix, std::int64_t largest_operand) {
  std::atomic<std::uint64_t>& bucket = mix.element_buckets[element_bucket(largest_operand)];
  bucket.store(bucket.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// A failing case of a campaign, or the verdict on one case of a run.
struct Report {
  std::uint64_t case_number;
  std::uint32_t implementation;
  Verdict verdict;
};

/// What calls on GPUs took; by all children of a slot.
struct GpuCounters {
  std::atomic<std::uint64_t> calls, fetched, batches, copies, synchronizations;
  /// The calling thread's, but for `preparing`; run/device/device_times.h names the phases.
  std::atomic<std::uint64_t> waiting_us, placing_us, calling_us, checking_us, judging_us,
      reporting_us, metering_us, preparing_us;
};

/// A call that nobody judges, made before the one that is.
enum class Unjudged : std::uint32_t {
  kNo,
  kLegalBase,  ///< of an illegal case, to see that a custom kernel takes it
  kBlank,      ///< of the case with zeros in place of its values
};

/// One child's share of the mapping.
struct Slot {
  Job job;
  std::atomic<std::uint32_t> stop;  ///< set by the supervisor; the child ends before its next case

  std::atomic<std::int32_t>
      pid;  ///< of the child, written by it before anything else; to kill it by
  // Where the child is: read by the supervisor when it died or hangs.
  std::atomic<std::uint64_t> case_number;     ///< the case being run (kRun: index into the run)
  std::atomic<std::uint32_t> implementation;  ///< being called; kMaxImplementations between calls
  std::atomic<std::uint64_t> calls;           ///< begun so far
  std::atomic<Unjudged> unjudged;    ///< what the call is, where it is not that of the case itself
  std::atomic<std::int32_t> signal;  ///< 0, or the fatal signal that its handler noted
  /// What a GPU said before the child ended, and the cases that were under way there.
  std::atomic<std::int32_t> device_error;  ///< cudaError_t; 0: nothing
  char device_message[160];
  std::atomic<std::uint64_t> batch_first;
  std::atomic<std::uint64_t> batch_end;  ///< 0: none, or `case_number` alone
  BatchCalls<kMaxImplementations> batch_calls;
  std::atomic<std::int32_t> fault_operand;    ///< whose guard page was touched, or -1
  std::atomic<std::int32_t> fault_in_heap;    ///< 1: the guard page of a kernel's own allocation
  std::atomic<std::int32_t> fault_in_input;   ///< 1: an operand that the call must not write
  std::atomic<std::uint32_t> stack_overflow;  ///< 1: the fault lies where the stack ended
  std::atomic<std::uint32_t> memory_spent;    ///< 1: the process had no memory left when it died
  /// 1: the implementation is called for the first time in this process, and may compile something;
  /// or a GPU is being opened, for which processes queue up in the driver.
  std::atomic<std::uint32_t> takes_longer;
  /// 1: the child has done what it was asked for. Whoever ends it by exit(0) leaves it 0.
  std::atomic<std::uint32_t> finished;
  std::atomic<std::uint32_t> round;  ///< raised by the supervisor for a child that stays
  std::atomic<std::uint32_t> taken;  ///< the round that the child has begun

  // kCampaign, kCoverage: a new failure. The child writes `pending`, sets `waiting` and sleeps
  // until the supervisor has added to the known failures (or not) and cleared it.
  std::atomic<std::uint32_t> waiting;
  Report pending;

  // kCoverage
  CaseRing ring;
  FoundCases found;

  // kRun: results of the first `completed` (case, implementation) pairs behind the lead, in order.
  std::atomic<std::uint32_t> completed;
  Report results[kMaxRunCases];
  ReturnedElements returned;  ///< of the last call, where the job asks for it
  std::size_t run_size;
  std::byte run_bytes[kRunBytes];  ///< encoded cases, one after another (case/bytes.h)

  SteeringCount steering[kMaxSteered];  ///< the child's own, and its successors'
  // kCampaign: kept from one child of the slot to the next.
  struct LeakSearches {
    std::uint32_t made;
    std::uint32_t looks_to_skip;  ///< before the next one
  };
  LeakSearches counted_searches, memory_searches;

  Tally tallies[kMaxImplementations][kMaxOperators];  ///< operators by their place in operators()
  RefusedTraits refused_traits;  ///< counted from the first case on that a kernel refuses
  /// What each implementation said as it refused its first legal case.
  struct Refusal {
    std::atomic<std::uint32_t> said;  ///< 1: the text is there
    char text[124];
  };
  Refusal refusals[kMaxImplementations];
  Mix mix;
  GpuCounters gpu;
};

struct SharedMemory {
  std::atomic<std::uint32_t> known_count;
  KnownFailure known[kMaxKnownFailures];
  std::atomic<std::uint32_t> steered_count;
  SteeredFailure steered[kMaxSteered];
  CasePool pool;
  /// The library that the zygote is loading, by its place on the command line, from 1; 0: none.
  std::atomic<std::uint32_t> loading;
  std::size_t hello_size;
  char hello[kHelloBytes];
  NativeCoverageMap native;  ///< filled where the zygote was started with --native-coverage
  Slot slots[];              ///< as many as the mapping holds
};

/// Whether a failing case with this key is a duplicate of one of them, but for the one at the place
/// `except`.
inline bool is_known_failure(const SharedMemory& memory, std::uint64_t key, const Case& c,
                             int except = -1) {
  const TraitSet all = traits(c);
  const std::int64_t elements = total_elements(c);
  const std::uint32_t count = std::min<std::uint32_t>(
      memory.known_count.load(std::memory_order_acquire), kMaxKnownFailures);
  return std::any_of(memory.known, memory.known + count, [&](const KnownFailure& known) {
    // A place that was dropped is written anew: the key comes last, and goes first.
    return known.key.load(std::memory_order_acquire) == key && &known - memory.known != except &&
           elements >= known.least_elements &&
           includes(all, TraitSet(known.traits,
                                  known.traits + std::min<std::size_t>(known.trait_count,
                                                                       std::size(known.traits)))) &&
           known.key.load(std::memory_order_acquire) == key;
  });
}
inline std::size_t shared_memory_bytes(int slots) {
  return sizeof(SharedMemory) + static_cast<std::size_t>(slots) * sizeof(Slot);
}

}  // namespace indexfuzz
