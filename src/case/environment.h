#pragma once
// What a whole process runs a case under.

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace indexfuzz {

/// Which of PyTorch's vectorized CPU kernels are chosen: ATEN_CPU_CAPABILITY, read once a process.
enum class Capability : std::uint8_t {
  kNative = 0,   ///< the best that the machine has; the variable is not set
  kDefault = 1,  ///< no vector instructions beyond the compiler's
  kAvx2 = 2,
};
inline constexpr std::string_view kCapabilityNames[] = {"native", "default", "avx2"};
inline std::string_view name(Capability capability) {
  return kCapabilityNames[static_cast<std::size_t>(capability)];
}

inline constexpr int kMaxThreads = 64;

struct Environment {
  std::uint8_t threads = 1;  ///< of PyTorch's pool, 1 to kMaxThreads
  Capability capability = Capability::kNative;
  bool operator==(const Environment&) const = default;
};

/// As many cases in a row are drawn for one environment.
inline constexpr std::uint64_t kEnvironmentTurn = 1 << 16;

/// The environment of a worker's case: they take turns, so that one worker meets all of them.
inline Environment environment_of(std::uint32_t worker, std::uint64_t number) {
  constexpr Environment kPlain{};
  constexpr Environment kTurns[] = {
      kPlain, {1, Capability::kDefault}, kPlain, {4, Capability::kNative},
      kPlain, {1, Capability::kAvx2},    kPlain, {4, Capability::kDefault}};
  return kTurns[(number / kEnvironmentTurn + worker) % std::size(kTurns)];
}

/// Makes any number of threads a possible one.
inline void repair(Environment& environment) {
  environment.threads = std::clamp<std::uint8_t>(environment.threads, 1, kMaxThreads);
}

}  // namespace indexfuzz
