#pragma once
// What the supervisor asks of a child.

#include <cstddef>
#include <cstdint>

#include "case/environment.h"
#include "case/limits.h"
#include "draw/target.h"

namespace indexfuzz {

inline constexpr int kMaxImplementations = 128;
inline constexpr int kMaxTargets = 256;
/// The CUDA_MPS_PIPE_DIRECTORY of a process that must not use an MPS server: none is there.
inline constexpr const char* kNoMps = "/dev/null";
inline constexpr int kMaxRunCases = 256;
inline constexpr int kMaxLead = 4096;
inline constexpr std::size_t kFuzzerFlagBytes = 1 << 10;
inline constexpr std::size_t kPipeBytes = 256;

/// One job of a child; the supervisor writes it before it sends kStart.
struct Job {
  enum class Type : std::uint32_t {
    kCampaign,  ///< draw and judge cases until `stop`, `end_case` or death
    kRun,       ///< judge the encoded cases of `run_bytes` in order
    kCoverage,  ///< as kCampaign, with cases of one operator that libFuzzer chooses
    kTryGpu,    ///< call nothing, but check that the GPU of `implementation` works for this process
  } type;
  Limits limits;
  bool strict;
  Environment environment;  ///< of all its cases
  /// The most bytes that a GPU is to give; 0: a quarter of what is free.
  std::int64_t device_memory;
  /// CUDA_MPS_PIPE_DIRECTORY of the child; empty: it uses no MPS server.
  char mps_pipe[kPipeBytes];
  // kCampaign, kCoverage
  std::uint64_t seed;
  std::uint32_t worker;
  std::uint64_t first_case;
  std::uint64_t end_case;  ///< the first number that is not run; UINT64_MAX for no end
  std::uint32_t target_count;
  Target targets[kMaxTargets];
  /// Which implementations are called, by where their operands lie. A process with kGpus survives
  /// what crashes on the CPU: a new process would take seconds to open the GPUs again.
  enum class Places : std::uint32_t { kAll, kHost, kGpus } places;
  std::uint32_t gpu_lanes;  ///< how many threads may call PyTorch's own operators on a GPU at once,
                            ///< at most kMaxGpuLanes; 0: one
  // kCoverage
  bool plain_bytes;                     ///< libFuzzer mutates bytes as for any target, not cases
  char fuzzer_flags[kFuzzerFlagBytes];  ///< libFuzzer's, beyond our own; each ends with a newline
  // kRun
  /// Index into the hello's implementations; kMaxImplementations: all. Also used by kTryGpu.
  std::uint32_t implementation;
  std::uint32_t case_count;  ///< at most lead_count + kMaxRunCases
  /// The first cases, at most kMaxLead, are only run, once each, and give no result.
  std::uint32_t lead_count;
  std::uint32_t repeats;  ///< calls of each case, 1 or more; they end at the case's first finding
  bool look_longer;       ///< a case that agrees is called many more times, to find leaks
                          ///< and results that change
  /// On the CPU, a case that agrees is called once more with grad mode on and read-only inputs.
  bool stricter;
  bool keep_returned;  ///< what the last call returned is copied into the slot
  bool warm_up;        ///< a custom implementation is called on a plain case first
  /// The legal base of an illegal case is not called first.
  bool without_base;
  /// Instead of the implementation, PyTorch's own operators are called where its operands lie.
  bool by_aten;
  /// Ends at the first case whose verdict has this shrink key (0: never).
  std::uint64_t stop_at_key;
  /// When the job is done the child stays, with the GPUs that it has opened, and waits for the next
  /// one (run/process/rounds.h). A job without any case only opens the GPU of `implementation`.
  bool stays;
};

}  // namespace indexfuzz
