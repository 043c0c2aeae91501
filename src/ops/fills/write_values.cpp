// The fills of values. Frozen: stored cases rely on exactly these values.

#include "ops/fills/write_values.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "ops/definition/operator.h"
#include "ops/fills/fill_plan.h"
#include "ops/fills/numbering.h"
#include "ops/fills/sorted_values.h"
#include "ops/fills/value_codecs.h"
#include "ops/numbers/cast.h"

namespace indexfuzz {
namespace {

/// `size`, negative if the dtype is signed and the lowest bit of the hash is set.
std::int64_t signed_by(std::uint64_t h, const DtypeInfo& dtype, std::int64_t size) {
  return dtype.is_signed && (h & 1) != 0 ? -size : size;
}

/// A term of a sum that rounds: self's uses all bits of the dtype, in steps of 4; the others, which
/// are added to it, have magnitudes from 1 to 7.
std::int64_t term(bool is_self, const DtypeInfo& dtype, std::uint64_t h) {
  if (!is_self) return signed_by(h, dtype, 1 + random_below(h >> 32, 7));
  const int more_bits = dtype.exact_bits - 1;
  const std::uint64_t size = 1ull << more_bits | h >> (64 - more_bits);
  return signed_by(h, dtype, static_cast<std::int64_t>(4 * size));
}

/// One of the four largest integers below 2^exact_bits (2^63 for uint64).
std::int64_t close(const DtypeInfo& dtype, std::uint64_t h) {
  const auto largest = static_cast<std::int64_t>((1ull << std::min(dtype.exact_bits, 63)) - 1);
  return largest - random_below(h, 4);
}

/// A number for a conversion that rounds: a multiple of a quarter of the step of `to` there.
std::int64_t between(Dtype to, const DtypeInfo& dtype, std::uint64_t h) {
  const int more_bits = info(to).exact_bits + 1;
  return signed_by(h, dtype, static_cast<std::int64_t>(1ull << more_bits | h >> (64 - more_bits)));
}

/// A number for a conversion that alters_numbers(): -1 and other negative integers whose magnitude
/// `to` holds, or as a count of quarters one that has a fraction or, one time in four, none.
std::int64_t wrapped(Dtype to, const DtypeInfo& dtype, std::uint64_t h) {
  if (dtype.family == DtypeFamily::kFloating) {
    constexpr std::uint64_t kMostQuarters = 127;
    const std::int64_t quarters = 1 + random_below(h >> 8, kMostQuarters);
    return info(to).is_signed ? signed_by(h, dtype, quarters) : quarters;
  }
  if ((h >> 60) < 4) return -1;
  const int bits = std::min(dtype.exact_bits, info(to).exact_bits);
  return -1 - static_cast<std::int64_t>((h & ~(1ull << 63)) % ((1ull << bits) - 1));
}

template <typename T>
struct Complex {
  T re, im;
};

/// The pseudo-random bits of a value's number.
struct Hash {
  std::uint64_t seed;
  std::uint64_t operator()(std::int64_t n) const {
    return hash1(static_cast<std::uint64_t>(n), seed);
  }
};

/// Writes an operand's values as elements of dtype `element`, which need not be the operand's.
template <typename Codec, bool kComplex>
struct ValueWriter {
  using NumberCodec = Codec;
  using Bits = typename Codec::Bits;
  using Element = std::conditional_t<kComplex, Complex<Bits>, Bits>;

  ValueWriter(const Case& c, int k, Dtype element, std::byte* destination)
      : c(c),
        k(k),
        element(element),
        operand(operand_at(c, k)),
        dtype(info(component(element))),
        numbering(number_values(operand)),
        hash{operand.fill.seed * 64ull + static_cast<std::uint64_t>(k)},
        out(reinterpret_cast<Element*>(destination)) {}

  void write_all() const {
    const auto integers = [this](auto&& rank_of) { write_sorted(*this, rank_of); };
    const auto specials = [this](auto&& rank_of) { write_sorted_special(*this, rank_of); };
    switch (operand.fill.kind) {
      case FillKind::kZeros: return write_zeros();
      case FillKind::kOnes: return write_real([](std::int64_t) { return Codec::exact(1); });
      case FillKind::kIndex: return write_index();
      case FillKind::kFactor1:
        return write_real([hash = hash](std::int64_t n) { return Codec::factor(hash(n)); });
      case FillKind::kWrapped1: return write_wrapped();
      case FillKind::kFactor2:
        return write_real([hash = hash](std::int64_t n) { return Codec::long_factor(hash(n)); });
      case FillKind::kFactor3:
        return write_real([hash = hash](std::int64_t n) {
          const std::uint64_t h = hash(n);
          return (h >> 44) % 4 == 0 ? Codec::exact(0) : Codec::factor(h);
        });
      case FillKind::kClose1: return write_close();
      case FillKind::kSums4: return write_rounded_terms();
      case FillKind::kBetween1: return write_between();
      case FillKind::kSums1:
      case FillKind::kSums2:
      case FillKind::kSums3:
      case FillKind::kSums5:
      case FillKind::kSums6:
      case FillKind::kSums7:
      case FillKind::kSums8: return write_exact_terms();
      case FillKind::kProducts1:
      case FillKind::kProducts2: return write_factors();
      case FillKind::kLone1: return write_lone_row();
      case FillKind::kSorted1: return with_ranks_of_places(integers);
      case FillKind::kSorted2: return with_ranks_of_index(*this, integers);
      case FillKind::kSearched1: return write_searched(*this);
      case FillKind::kSorted3: return with_ranks_of_places(specials);
      case FillKind::kSorted4: return with_ranks_of_index(*this, specials);
      case FillKind::kSearched2: return write_searched_special(*this);
      case FillKind::kSpecial1: return write_special();
      case FillKind::kSpecial2:
        return write_each_part([](std::uint64_t h) {
          return (h >> 60) < 4 ? Codec::hashed(h) : Codec::special_number(h >> 8);
        });
      case FillKind::kHash1:
      // Fills of indices and masks, which no value has.
      case FillKind::kFirst:
      case FillKind::kLast:
      case FillKind::kAscending:
      case FillKind::kDescending:
      case FillKind::kRandom1:
      case FillKind::kFew1:
      case FillKind::kDistinct1:
      case FillKind::kDistinct2:
      case FillKind::kRuns1:
      case FillKind::kOffsets1:
      case FillKind::kOffsets2:
      case FillKind::kOffsets3:
      case FillKind::kOffsets4:
      case FillKind::kCounts1:
      case FillKind::kOffsets5:
      case FillKind::kLengths1:
      case FillKind::kMaskFront:
      case FillKind::kMaskBack:
      case FillKind::kMaskSpread1:
      case FillKind::kMaskMixed1:
      case FillKind::kMaskRandom1: return write_hashed();
    }
  }

  /// `real` and `imaginary` make a component from a value's number.
  void write(auto&& real, auto&& imaginary) const {
    if constexpr (kComplex) {
      write_each(operand, numbering, out, [&](std::int64_t n) {
        return Element{real(n), imaginary(n)};
      });
    } else {
      write_each(operand, numbering, out, real);
    }
  }
  void write_real(auto&& real) const {
    write(real, [](std::int64_t) { return Codec::exact(0); });
  }
  /// Makes each component from a hash of its own.
  void write_each_part(auto&& part) const {
    write([part, hash = hash](std::int64_t n) { return part(hash(n)); },
          [part, hash = hash, count = numbering.count](std::int64_t n) {
            return part(hash(n + count));
          });
  }

  void write_zeros() const {
    std::memset(out, 0, static_cast<std::size_t>(numel(operand.shape)) * sizeof(Element));
  }
  void write_hashed() const {
    write([hash = hash](std::int64_t n) { return Codec::hashed(hash(n)); },
          [hash = hash](std::int64_t n) {
            return Codec::hashed(hash(n) * 0x9E3779B97F4A7C15ull >> 3);
          });
  }
  void write_index() const {
    const bool tells_apart =
        dtype.exact_bits >= 63 || numbering.count < (std::int64_t{1} << dtype.exact_bits);
    if (!tells_apart || (!is_self() && !dtype.is_signed)) return write_hashed();
    const std::int64_t sign = is_self() ? 1 : -1;
    write([=](std::int64_t n) { return Codec::exact(sign * (n + 1)); },
          [=](std::int64_t n) { return Codec::exact(-sign * (n + 1)); });
  }
  void write_close() const {
    if (dtype.family == DtypeFamily::kBool) return write_hashed();
    write_each_part([dtype = dtype](std::uint64_t h) {
      return Codec::exact(signed_by(h >> 40, dtype, close(dtype, h)));
    });
  }
  /// kSums4.
  void write_rounded_terms() const {
    if (!is_floating_or_complex(element)) return write_hashed();
    write_each_part([is_self = is_self(), dtype = dtype](std::uint64_t h) {
      return Codec::exact(term(is_self, dtype, h));
    });
  }
  void write_between() const {
    const OperatorInfo& op = operator_of(c);
    const Dtype to = op.cast_to != nullptr ? op.cast_to(c, k) : element;
    if (!holds_between(element, to)) return write_hashed();
    write_each_part(
        [to, dtype = dtype](std::uint64_t h) { return Codec::exact(between(to, dtype, h)); });
  }
  void write_wrapped() const {
    const OperatorInfo& op = operator_of(c);
    const Dtype to = op.cast_to != nullptr ? op.cast_to(c, k) : element;
    const bool alters = alters_numbers(element, to);
    const bool in_quarters = is_floating_or_complex(element);
    write_real([=, hash = hash, dtype = dtype](std::int64_t n) {
      const std::uint64_t h = hash(n);
      if (!alters) return Codec::factor(h);
      const std::int64_t number = wrapped(to, dtype, h);
      return in_quarters ? Codec::quarters(number) : Codec::exact(number);
    });
  }
  /// The other fills for sums.
  void write_exact_terms() const {
    const FillKind kind = operand.fill.kind;
    const SumTerms terms = sum_terms(c, k, component(element), numbering);
    const auto value_of = [kind, terms, is_self = is_self(), is_signed = dtype.is_signed](
                              std::int64_t n, Hash hash) {
      if (!terms.fits || (terms.one_in != 1 && n % terms.one_in != 0)) return Codec::exact(0);
      const std::uint64_t h = hash(n);
      if (kind == FillKind::kSums3 && (h >> 44) % 4 == 0)
        return Codec::beyond_numbers(h >> 48, is_self);
      const auto below = terms.is_wide ? static_cast<std::int64_t>((h >> 1) % terms.magnitude)
                                       : random_below(h, terms.magnitude);
      const std::int64_t size = below + 1;
      const std::int64_t value = is_signed && (h >> 40) % 4 == 0 ? -size : size;
      if (kind == FillKind::kSums6) return Codec::tiny(value);
      if (kind == FillKind::kSums7) return Codec::tiny_of_16_bits(value);
      if (kind == FillKind::kSums8) return Codec::huge(value);
      return kind == FillKind::kSums2 ? Codec::scaled(value) : Codec::exact(value);
    };
    write([value_of, hash = hash](std::int64_t n) { return value_of(n, hash); },
          [value_of, hash = Hash{hash.seed + (1ull << 32)}](std::int64_t n) {
            return value_of(n, hash);
          });
  }
  void write_factors() const {
    if (!is_floating_or_complex(element)) return write_hashed();
    const Factors chosen = factors(c, k, component(element), numbering);
    const bool with_beyond = operand.fill.kind == FillKind::kProducts2;
    // One special value per operand, so that not every product is NaN.
    const Bits beyond = Codec::beyond_products(hash(0));
    write_real([=, hash = hash, dtype = dtype](std::int64_t n) {
      const std::uint64_t h = hash(n);
      if (with_beyond && (h >> 44) % 4 == 0) return beyond;
      const std::int64_t size = n % chosen.one_in == 0 ? 1 + random_below(h, chosen.most) : 1;
      return Codec::exact(signed_by(h >> 40, dtype, size));
    });
  }
  void write_lone_row() const {
    const std::int64_t width = values_of_a_row(operand);
    const std::int64_t rows = std::max<std::int64_t>(numbering.count / width, 1);
    const std::int64_t row = operand.fill.seed % rows;
    const std::uint64_t most = 1u << std::min(dtype.exact_bits, 10);
    write_real([=, hash = hash, dtype = dtype](std::int64_t n) {
      const std::uint64_t h = hash(n);
      const auto size = static_cast<std::int64_t>(1 + random_below(h, most));
      return Codec::exact(n / width != row ? 0 : signed_by(h >> 40, dtype, size));
    });
  }
  void write_special() const {
    write(
        [hash = hash](std::int64_t n) {
          const std::uint64_t h = hash(n);
          return (h >> 60) < 4 ? Codec::hashed(h) : Codec::special(h >> 8);
        },
        [hash = hash](std::int64_t n) { return Codec::special(hash(n) >> 24); });
  }
  bool is_self() const { return begins_sums(c, k); }

  const Case& c;
  const int k;
  const Dtype element;
  const Operand& operand;
  const DtypeInfo& dtype;
  const Numbering numbering;
  const Hash hash;
  Element* const out;
};

template <typename Codec, bool kComplex = false>
void write_as(const Case& c, int k, Dtype dtype, std::byte* destination) {
  ValueWriter<Codec, kComplex>(c, k, dtype, destination).write_all();
}

}  // namespace

void write_values(const Case& c, int k, Dtype dtype, std::byte* destination) {
  switch (dtype) {
    case Dtype::kBool: return write_as<BoolCodec>(c, k, dtype, destination);
    case Dtype::kUInt8: return write_as<IntegerCodec<std::uint8_t>>(c, k, dtype, destination);
    case Dtype::kInt8: return write_as<IntegerCodec<std::int8_t>>(c, k, dtype, destination);
    case Dtype::kInt16: return write_as<IntegerCodec<std::int16_t>>(c, k, dtype, destination);
    case Dtype::kUInt16: return write_as<IntegerCodec<std::uint16_t>>(c, k, dtype, destination);
    case Dtype::kInt32: return write_as<IntegerCodec<std::int32_t>>(c, k, dtype, destination);
    case Dtype::kUInt32: return write_as<IntegerCodec<std::uint32_t>>(c, k, dtype, destination);
    case Dtype::kInt64: return write_as<IntegerCodec<std::int64_t>>(c, k, dtype, destination);
    case Dtype::kUInt64: return write_as<IntegerCodec<std::uint64_t>>(c, k, dtype, destination);
    case Dtype::kHalf: return write_as<HalfCodec>(c, k, dtype, destination);
    case Dtype::kBFloat16:
      return write_as<FloatCodec<std::uint16_t, 8, 7>>(c, k, dtype, destination);
    case Dtype::kFloat: return write_as<SingleCodec>(c, k, dtype, destination);
    case Dtype::kDouble: return write_as<DoubleCodec>(c, k, dtype, destination);
    case Dtype::kFloat8E4M3FN:
      return write_as<FloatCodec<std::uint8_t, 4, 3>>(c, k, dtype, destination);
    case Dtype::kFloat8E5M2:
      return write_as<FloatCodec<std::uint8_t, 5, 2>>(c, k, dtype, destination);
    case Dtype::kFloat8E4M3FNUZ: return write_as<FnuzCodec<4, 3>>(c, k, dtype, destination);
    case Dtype::kFloat8E5M2FNUZ: return write_as<FnuzCodec<5, 2>>(c, k, dtype, destination);
    case Dtype::kComplexHalf: return write_as<HalfCodec, true>(c, k, dtype, destination);
    case Dtype::kComplexFloat: return write_as<SingleCodec, true>(c, k, dtype, destination);
    case Dtype::kComplexDouble: return write_as<DoubleCodec, true>(c, k, dtype, destination);
  }
}

}  // namespace indexfuzz
