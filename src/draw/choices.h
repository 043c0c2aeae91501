#pragma once
// A stream of choices over RapidCheck's splittable random numbers.

#include <rapidcheck/Random.h>
#include <cstdint>

namespace indexfuzz {

/// Draws small numbers from a stream; a 64-bit block serves several of them.
class Choices {
 public:
  explicit Choices(const rc::Random& random) : random_(random) {}

  std::uint64_t word() { return random_.next(); }

  /// A number in [0, n), n ≤ 65,536, almost uniform.
  std::uint32_t below(std::uint32_t n) {
    return n <= 8 ? (bits(8) * n) >> 8 : (bits(16) * n) >> 16;
  }
  /// True once in n.
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  std::uint32_t bits(int count) {
    if (left_ < count) {
      pool_ = random_.next();
      left_ = 64;
    }
    const auto value = static_cast<std::uint32_t>(pool_ & ((std::uint64_t{1} << count) - 1));
    pool_ >>= count;
    left_ -= count;
    return value;
  }

 private:
  rc::Random random_;
  std::uint64_t pool_ = 0;
  int left_ = 0;
};

}  // namespace indexfuzz
