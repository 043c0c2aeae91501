#include "reproduce/values_code.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace indexfuzz {
namespace {

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
std::string python(Dtype dtype, Dims shape, const std::vector<T>& values) {
  return python_values(dtype, shape, bytes_of(values));
}

TEST(ValuesCode, PlainLiterals) {
  EXPECT_EQ(python<float>(Dtype::kFloat, {2, 2}, {1, 2.5F, -0.F, 0.1F}),
            "torch.tensor([[1., 2.5], [-0., 0.1]])");
  EXPECT_EQ(python<std::int64_t>(Dtype::kInt64, {}, {-7}), "torch.tensor(-7)");
  EXPECT_EQ(python<std::int8_t>(Dtype::kInt8, {2}, {-128, 127}),
            "torch.tensor([-128, 127], dtype=torch.int8)");
  EXPECT_EQ(python<std::uint8_t>(Dtype::kBool, {2}, {1, 0}), "torch.tensor([True, False])");
  EXPECT_EQ(python<std::uint16_t>(Dtype::kHalf, {2}, {0x3C00, 0x7E00}),
            "torch.tensor([1., torch.nan], dtype=torch.float16)");
  EXPECT_EQ(python<std::uint64_t>(Dtype::kUInt64, {1}, {~0ULL}),
            "torch.tensor([18446744073709551615], dtype=torch.uint64)");
}

TEST(ValuesCode, ComplexKeepsSignsOfZeros) {
  EXPECT_EQ(python<float>(Dtype::kComplexFloat, {2}, {1, -2, -0.F, 1}),
            "torch.tensor([1.-2.j, complex(-0., 1.)], dtype=torch.complex64)");
}

TEST(ValuesCode, OtherNaNsAreBytes) {
  EXPECT_EQ(python<std::uint16_t>(Dtype::kHalf, {1}, {0x7E01}),
            "torch.frombuffer(bytearray.fromhex(\"017e\"), dtype=torch.float16).clone()");
}

TEST(ValuesCode, LongListsAreShort) {
  std::vector<float> up(24), same(100, 3);
  for (std::size_t i = 0; i < up.size(); ++i) up[i] = static_cast<float>(i);
  EXPECT_EQ(python(Dtype::kFloat, {4, 6}, up), "torch.arange(24.).view(4, 6)");
  EXPECT_EQ(python(Dtype::kFloat, {100}, same), "torch.full((100,), 3., dtype=torch.float32)");
}

TEST(ValuesCode, WhatFollowsARuleIsWrittenAsThat) {
  std::vector<float> down(100);
  std::vector<std::int32_t> remainders(90);
  std::vector<std::uint8_t> mask(300, 0);
  for (std::size_t i = 0; i < down.size(); ++i) down[i] = -1 - static_cast<float>(i);
  for (std::size_t i = 0; i < remainders.size(); ++i)
    remainders[i] = static_cast<std::int32_t>(i % 7);
  mask.back() = 1;
  EXPECT_EQ(python(Dtype::kFloat, {100}, down), "torch.arange(-1, -101., -1)");
  EXPECT_EQ(python(Dtype::kInt32, {9, 10}, remainders),
            "(torch.arange(90, dtype=torch.int32) % 7).view(9, 10)");
  EXPECT_EQ(python(Dtype::kBool, {300}, mask), "torch.tensor([False] * 299 + [True])");
  std::vector<std::uint8_t> all(300);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i % 256);
  EXPECT_TRUE(python(Dtype::kUInt8, {300}, all).starts_with("torch.frombuffer("))
      << "256 is 0 in uint8";
  remainders[89] = 0;
  EXPECT_TRUE(python(Dtype::kInt32, {90}, remainders).starts_with("torch.frombuffer("));
  down[0] = 0;
  EXPECT_TRUE(python(Dtype::kFloat, {100}, down).starts_with("torch.frombuffer("));
}

TEST(ValuesCode, EmptyKeepsItsShape) {
  EXPECT_EQ(python<float>(Dtype::kFloat, {2, 0}, {}), "torch.empty((2, 0), dtype=torch.float32)");
}

TEST(ValuesCode, CppLiteralsHoldEveryValue) {
  EXPECT_EQ(cpp_values("x", Dtype::kFloat, bytes_of<float>({1, -0.5F})),
            "const float x[] = {1.f, -0.5f};\n");
  EXPECT_EQ(cpp_values("x", Dtype::kInt64, bytes_of<std::int64_t>({INT64_MIN})),
            "const int64_t x[] = {INT64_MIN};\n");
  EXPECT_EQ(cpp_values("x", Dtype::kHalf, bytes_of<std::uint16_t>({0x7E01})),
            "const uint16_t x[] = {0x7e01};\n");
  EXPECT_EQ(cpp_values("x", Dtype::kInt32, {}), "const int32_t x[] = {0};\n");
}

}  // namespace
}  // namespace indexfuzz
