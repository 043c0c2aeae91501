#include "case/bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace indexfuzz {
namespace {

Case sample() {
  Case c;
  c.op = 3;
  c.overload = 1;
  c.variant = Variant::kOut;
  c.breaks = 2;
  c.environment = {4, Capability::kAvx2};
  c.gpu = {true, false, true};
  c.attributes = {-1, 1, INT64_MAX, INT64_MIN};
  Operand operand;
  operand.dtype = Dtype::kBFloat16;
  operand.guard = Guard::kRight;
  operand.slices = SlicePlacement::kApartBy2To30;
  operand.shape = {4, 1 << 21, 0};
  operand.layout = contiguous_layout(3);
  operand.layout.order = {2, 0, 1};
  operand.layout.dims[0] = {3, 4, 5, false, false};
  operand.layout.dims[1].expanded = true;
  operand.layout.dims[2].slides = true;
  operand.layout.offset = 77;
  operand.fill = {FillKind::kSpecial1, Negatives::kSome, 5, 0xFFFFFFFF, 9};
  c.operands = {operand, Operand{}};
  c.operands[1].present = false;
  c.operands[1].on_host = true;
  return c;
}

bool is_sound(const Case& c) {
  return std::ranges::all_of(c.operands, [](const Operand& o) {
    std::vector<int> order(o.layout.order.begin(), o.layout.order.end());
    std::ranges::sort(order);
    for (std::size_t d = 0; d < order.size(); ++d) {
      if (order[d] != static_cast<int>(d)) return false;
    }
    return o.layout.order.size() == o.shape.size() && o.layout.dims.size() == o.shape.size() &&
           static_cast<int>(o.dtype) < kDtypeCount &&
           fill_from_name(name(o.fill.kind)) == o.fill.kind && o.layout.offset >= 0 &&
           std::ranges::all_of(o.shape,
                               [](std::int64_t size) { return size >= 0 && size <= 1 << 21; }) &&
           std::ranges::all_of(o.layout.dims, [](const DimLayout& d) {
             return d.step >= 1 && d.before >= 0 && d.after >= 0;
           });
  });
}

TEST(Bytes, RoundTrip) {
  std::vector<std::byte> bytes(kEncodedBytes);
  encode(sample(), bytes.data());
  EXPECT_EQ(decode(bytes), sample());
}

TEST(Bytes, TheShortFormIsTheBeginningOfTheWholeOne) {
  std::vector<std::byte> whole(kEncodedBytes), part(kEncodedBytes, std::byte{0xEE});
  encode(sample(), whole.data());
  const std::size_t size = encode_short(sample(), part.data());
  EXPECT_LT(size, whole.size());
  EXPECT_EQ(part[size], std::byte{0xEE});
  part.resize(size);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin()));
  EXPECT_EQ(decode(part), sample());
}

TEST(Bytes, AttributesBeyondTheHeaderFollowTheOperands) {
  Case c = sample();
  c.attributes[4] = -5;
  c.attributes[5] = INT64_MAX;
  std::vector<std::byte> whole(kEncodedBytes), part(kEncodedBytes, std::byte{0xEE});
  encode(c, whole.data());
  EXPECT_EQ(decode(whole), c);
  // The places between the last operand and them are zeros, too.
  EXPECT_EQ(encode_short(c, part.data()), kEncodedBytes);
  EXPECT_EQ(part, whole);
  whole.resize(kEncodedBytes - 16);
  EXPECT_EQ(decode(whole), sample());
}

TEST(Bytes, ShortInputsCountAsZeros) {
  EXPECT_EQ(decode({}), Case{});
  std::vector<std::byte> bytes(kEncodedBytes);
  encode(sample(), bytes.data());
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    EXPECT_TRUE(is_sound(decode(std::span(bytes).first(length))));
  }
}

TEST(Bytes, AnyBytesGiveASoundCaseThatRoundTrips) {
  std::mt19937_64 random(1);
  std::vector<std::byte> bytes(kEncodedBytes), again(kEncodedBytes);
  for (int i = 0; i < 20'000; ++i) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 56);
    const Case c = decode(bytes);
    ASSERT_TRUE(is_sound(c));
    encode(c, again.data());
    ASSERT_EQ(decode(again), c);
  }
}

TEST(Bytes, AnOperatorIsPutInItsPlace) {
  std::vector<std::byte> bytes(kEncodedBytes);
  encode(sample(), bytes.data());
  Case expected = sample();
  expected.op = 0x1234;
  put_operator(0x1234, bytes);
  EXPECT_EQ(decode(bytes), expected);
  std::vector<std::byte> few(3, std::byte{0xEE});
  put_operator(0x1234, few);
  EXPECT_EQ(few, std::vector<std::byte>(3, std::byte{0xEE}));
}

TEST(Bytes, AnEnvironmentIsPutInItsPlace) {
  std::vector<std::byte> bytes(kEncodedBytes);
  encode(sample(), bytes.data());
  Case expected = sample();
  expected.environment = {9, Capability::kDefault};
  put_environment(expected.environment, bytes);
  EXPECT_EQ(decode(bytes), expected);
  std::vector<std::byte> few(7, std::byte{0xEE});
  put_environment(expected.environment, few);
  EXPECT_EQ(few, std::vector<std::byte>(7, std::byte{0xEE}));
}

template <typename T>
T at(const std::vector<std::byte>& bytes, std::size_t place) {
  T value;
  std::memcpy(&value, &bytes[place], sizeof value);
  return value;
}

// By hand, from sample(): what was stored once is read for ever.
TEST(Bytes, EveryFieldKeepsItsPlace) {
  std::vector<std::byte> bytes(kEncodedBytes);
  encode(sample(), bytes.data());
  EXPECT_EQ(at<std::uint8_t>(bytes, 0), 1);  // the version
  EXPECT_EQ(at<std::uint8_t>(bytes, 1), 1);  // the overload
  EXPECT_EQ(at<std::uint16_t>(bytes, 2), 3);
  EXPECT_EQ(at<std::uint8_t>(bytes, 4), 2 | 4 | 16);  // out, side stream, another device
  EXPECT_EQ(at<std::uint8_t>(bytes, 5), 2);
  EXPECT_EQ(at<std::uint8_t>(bytes, 6), 2);           // operands
  EXPECT_EQ(at<std::uint8_t>(bytes, 7), 2 | 3 << 2);  // avx2, three threads more
  EXPECT_EQ(at<std::int64_t>(bytes, 8), -1);
  EXPECT_EQ(at<std::int64_t>(bytes, 32), INT64_MIN);
  const std::size_t first = 40, second = first + 164;
  EXPECT_EQ(at<std::uint8_t>(bytes, first), 7);      // bfloat16
  EXPECT_EQ(at<std::uint8_t>(bytes, first + 1), 1);  // present
  EXPECT_EQ(at<std::uint8_t>(bytes, first + 2), static_cast<int>(Guard::kRight));
  EXPECT_EQ(at<std::uint8_t>(bytes, first + 3), 3);  // the rank
  EXPECT_EQ(at<std::int16_t>(bytes, first + 4), 77);
  EXPECT_EQ(at<std::uint8_t>(bytes, first + 6), 3);  // special1
  EXPECT_EQ(at<std::uint8_t>(bytes, first + 7), 2);  // some negatives
  EXPECT_EQ(at<std::uint16_t>(bytes, first + 8), 5);
  EXPECT_EQ(at<std::uint16_t>(bytes, first + 10), 8);  // slices=half_far
  EXPECT_EQ(at<std::uint32_t>(bytes, first + 12), 0xFFFFFFFF);
  EXPECT_EQ(at<std::uint32_t>(bytes, first + 16), 9);
  EXPECT_EQ(at<std::uint32_t>(bytes, first + 20), 4);
  EXPECT_EQ(at<std::uint32_t>(bytes, first + 24), 1 << 21);
  EXPECT_EQ(at<std::uint8_t>(bytes, first + 68), 2);    // the order
  EXPECT_EQ(at<std::int16_t>(bytes, first + 80), 3);    // a step
  EXPECT_EQ(at<std::int16_t>(bytes, first + 104), 4);   // before
  EXPECT_EQ(at<std::int16_t>(bytes, first + 128), 5);   // after
  EXPECT_EQ(at<std::uint8_t>(bytes, first + 153), 1);   // expanded
  EXPECT_EQ(at<std::uint8_t>(bytes, first + 154), 2);   // slides
  EXPECT_EQ(at<std::uint8_t>(bytes, second + 1), 0);    // absent
  EXPECT_EQ(at<std::uint16_t>(bytes, second + 10), 2);  // on the host
}

int count_differences(const Layout& a, const Layout& b) {
  int count = (a.offset != b.offset) + (a.order != b.order);
  for (std::size_t d = 0; d < std::min(a.dims.size(), b.dims.size()); ++d) {
    const DimLayout &x = a.dims[d], &y = b.dims[d];
    count += (x.step != y.step) + (x.before != y.before) + (x.after != y.after) +
             (x.expanded != y.expanded) + (x.slides != y.slides);
  }
  return count;
}

/// Fields of one operand in which two cases differ; all that a rank decides counts as one.
int count_differences(const Operand& a, const Operand& b) {
  if (a.shape.size() != b.shape.size()) return 1;
  int count = count_differences(a.layout, b.layout) + (a.dtype != b.dtype) +
              (a.present != b.present) + (a.guard != b.guard) + (a.slices != b.slices) +
              (a.on_host != b.on_host) + (a.own_shape != b.own_shape) +
              (a.fill.kind != b.fill.kind) + (a.fill.negatives != b.fill.negatives) +
              (a.fill.repeats != b.fill.repeats) + (a.fill.seed != b.fill.seed) +
              (a.fill.popcount != b.fill.popcount);
  for (std::size_t d = 0; d < a.shape.size(); ++d) count += a.shape[d] != b.shape[d];
  return count;
}

int count_differences(const Case& a, const Case& b) {
  int count = (a.op != b.op) + (a.overload != b.overload) + (a.variant != b.variant) +
              (a.breaks != b.breaks) + (a.environment.threads != b.environment.threads) +
              (a.environment.capability != b.environment.capability) + (a.gpu != b.gpu) +
              (a.operands.size() != b.operands.size());
  for (std::size_t i = 0; i < a.attributes.size(); ++i) count += a.attributes[i] != b.attributes[i];
  for (std::size_t k = 0; k < std::min(a.operands.size(), b.operands.size()); ++k)
    count += count_differences(a.operands[k], b.operands[k]);
  return count;
}

TEST(Bytes, OneFlippedBitChangesAtMostOneField) {
  std::vector<std::byte> bytes(kEncodedBytes);
  encode(sample(), bytes.data());
  const Case original = decode(bytes);
  int changed = 0;
  for (std::size_t bit = 8; bit < 8 * (40 + 2 * 164); ++bit) {  // the first byte is the version
    std::vector<std::byte> flipped = bytes;
    flipped[bit / 8] ^= std::byte{1} << (bit % 8);
    const Case c = decode(flipped);
    ASSERT_TRUE(is_sound(c));
    const int differences = count_differences(original, c);
    EXPECT_LE(differences, 1) << "bit " << bit % 8 << " of byte " << bit / 8;
    EXPECT_EQ(differences == 0, c == original) << "bit " << bit % 8 << " of byte " << bit / 8;
    changed += differences;
  }
  EXPECT_GT(changed, 500);
}

}  // namespace
}  // namespace indexfuzz
