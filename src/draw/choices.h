#pragma once
// A stream of choices. The first word of RapidCheck's splittable rc::Random seeds a generator that
// is ten times as fast.

#include <rapidcheck/Random.h>
#include <concepts>
#include <cstdint>

namespace indexfuzz {

/// Draws small numbers from a stream, several from each 64-bit word.
class Choices {
 public:
  explicit Choices(rc::Random random) : state_(random.next()) {}
  explicit Choices(std::uint64_t seed) : state_(seed) {}

  /// SplitMix64: https://prng.di.unimi.it/splitmix64.c
  std::uint64_t word() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }

  /// A number in [0, n), n ≤ 65,536, almost uniform.
  std::uint32_t below(std::integral auto n) {
    const auto bound = static_cast<std::uint32_t>(n);
    return bound <= 8 ? (bits(8) * bound) >> 8 : (bits(16) * bound) >> 16;
  }
  /// True with a probability of 1 / n.
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  std::uint32_t bits(int count) {
    if (left_ < count) {
      pool_ = word();
      left_ = 64;
    }
    const auto value = static_cast<std::uint32_t>(pool_ & ((std::uint64_t{1} << count) - 1));
    pool_ >>= count;
    left_ -= count;
    return value;
  }

 private:
  std::uint64_t state_;
  std::uint64_t pool_ = 0;
  int left_ = 0;
};

}  // namespace indexfuzz
