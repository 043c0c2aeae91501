#include "ops/fills/write_masks.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "case/number.h"
#include "ops/fills/numbering.h"

namespace indexfuzz {
namespace {

/// value mod count; 32-bit division takes a third of the time of 64-bit division.
std::uint64_t remainder_of(std::uint64_t value, std::uint64_t count) {
  if (value >> 32 == 0)
    return static_cast<std::uint32_t>(value) % static_cast<std::uint32_t>(count);
  return value % count;
}

/// Chooses `set` of `count` positions; every choice is equally likely.
void choose_positions(std::uint64_t count, std::uint64_t set, std::uint64_t seed,
                      std::uint8_t* __restrict chosen) {
  for (std::uint64_t n = 0; n < count; ++n) {
    const auto left = static_cast<std::uint64_t>(random_below(hash1(n, seed), count - n));
    chosen[n] = left < set ? 1 : 0;
    set -= chosen[n];
  }
}

/// Writes any number but 0, often one with a single byte set: a subnormal, the lowest integer, NaN.
void write_odd_truth(Dtype dtype, std::uint64_t h, std::byte* element) {
  const std::size_t size = item_size(dtype), part = item_size(component(dtype));
  const std::size_t at = h % size;
  if (!is_floating_or_complex(dtype)) {
    element[at] = std::byte(1 + (h >> 32) % 255);
  } else if ((h >> 61) == 0) {
    // All ones are NaN in every format but the fnuz ones, which have it in place of -0.
    std::memset(element + at / part * part, is_fnuz(dtype) ? 0x80 : 0xFF, part);
  } else {
    // The byte gets more than the sign bit, so that the number is not -0.
    element[at] |= std::byte(1 + (h >> 32) % 127);
  }
}

}  // namespace

void write_mask(const Operand& operand, std::byte* destination) {
  const Numbering numbering = number_values(operand);
  const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(numbering.count, 1));
  const std::uint64_t set = std::min<std::uint64_t>(operand.fill.popcount, count);
  const std::uint64_t seed = operand.fill.seed;
  const bool odd_truths = operand.dtype == Dtype::kUInt8 && (seed & 1);
  const auto step =
      static_cast<std::uint64_t>(operand.fill.kind == FillKind::kMaskMixed1
                                     ? coprime_step(static_cast<std::int64_t>(count), seed)
                                     : 1);
  auto* const out = reinterpret_cast<std::uint8_t*>(destination);
  const auto write = [&](auto&& is_true) {
    if (!odd_truths) {
      write_each(operand, numbering, out, [&](std::int64_t n) {
        return static_cast<std::uint8_t>(is_true(static_cast<std::uint64_t>(n)));
      });
      return;
    }
    write_each(operand, numbering, out, [&](std::int64_t n) {
      const auto un = static_cast<std::uint64_t>(n);
      return static_cast<std::uint8_t>(is_true(un) ? 1 + hash1(un, seed) % 255 : 0);
    });
  };
  switch (operand.fill.kind) {
    case FillKind::kMaskBack: return write([&](std::uint64_t n) { return n >= count - set; });
    case FillKind::kMaskSpread1:
      // True where the integer part of n × set / count grows from n to n + 1: where the remainder
      // plus `set` reaches `count`.
      return write([&](std::uint64_t n) { return remainder_of(n * set, count) + set >= count; });
    case FillKind::kMaskMixed1:
      return write([&](std::uint64_t n) { return remainder_of(n * step + seed, count) < set; });
    case FillKind::kMaskRandom1: {
      if (numbering.dense && !odd_truths && numbering.count > 0)
        return choose_positions(count, set, seed, out);
      static thread_local std::vector<std::uint8_t> chosen;
      chosen.resize(count);
      choose_positions(count, set, seed, chosen.data());
      return write([&](std::uint64_t n) { return chosen[n] != 0; });
    }
    default: return write([&](std::uint64_t n) { return n < set; });
  }
}

void write_truths(const Operand& operand, std::byte* destination) {
  static thread_local std::vector<std::byte> truths;
  static thread_local std::vector<std::uint64_t> hashes;
  const auto count = static_cast<std::size_t>(numel(operand.shape));
  truths.resize(count);
  write_mask(operand, truths.data());
  const std::size_t size = item_size(operand.dtype), part = item_size(component(operand.dtype));
  std::memset(destination, 0, count * size);
  if ((operand.fill.seed & 1) == 0) {
    for (std::size_t i = 0; i < count; ++i) {
      if (truths[i] != std::byte{0})
        write_exact(component(operand.dtype), 1, destination + i * size);
    }
    return;
  }
  hashes.resize(count);
  write_each(operand, number_values(operand), hashes.data(), [&](std::int64_t n) {
    return hash1(static_cast<std::uint64_t>(n), operand.fill.seed);
  });
  for (std::size_t i = 0; i < count; ++i, destination += size) {
    // Zeros of either sign, before the set elements are written.
    if (is_floating_or_complex(operand.dtype) && !is_fnuz(operand.dtype)) {
      for (std::size_t sign = part - 1; sign < size; sign += part)
        destination[sign] = std::byte((hashes[i] >> (24 + sign)) << 7);
    }
    if (truths[i] != std::byte{0}) write_odd_truth(operand.dtype, hashes[i], destination);
  }
}

}  // namespace indexfuzz
