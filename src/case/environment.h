#pragma once
// The process-wide settings under which a case runs.

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace indexfuzz {

/// Which of PyTorch's vectorized CPU kernels run: ATEN_CPU_CAPABILITY, read once per process.
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

/// Clamps the thread count to [1, kMaxThreads].
inline void repair(Environment& environment) {
  environment.threads = std::clamp<std::uint8_t>(environment.threads, 1, kMaxThreads);
}

}  // namespace indexfuzz
