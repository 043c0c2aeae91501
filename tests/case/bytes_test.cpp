#include "case/bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
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
  operand.slices = Slices::kHalfFar;
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

TEST(Bytes, OneFlippedByteChangesAtMostOneOperand) {
  std::vector<std::byte> bytes(kEncodedBytes);
  encode(sample(), bytes.data());
  const Case original = decode(bytes);
  for (std::size_t i = 40; i < bytes.size(); ++i) {  // behind the header
    std::vector<std::byte> flipped = bytes;
    flipped[i] ^= std::byte{0x41};
    const Case c = decode(flipped);
    ASSERT_TRUE(is_sound(c));
    ASSERT_EQ(c.attributes, original.attributes);
    ASSERT_TRUE(c.operands[0] == original.operands[0] || c.operands[1] == original.operands[1]);
  }
}

}  // namespace
}  // namespace indexfuzz
