#include <gtest/gtest.h>

#include "reproduce/reproduction.h"

namespace indexfuzz {
namespace {

Operand operand_of(Dims shape) {
  Operand operand;
  operand.layout = contiguous_layout(rank(shape));
  operand.shape = std::move(shape);
  return operand;
}

TEST(LayoutCode, ContiguousIsAPlainView) {
  EXPECT_EQ(python_view(operand_of({4, 6}), "base"), "base.view(4, 6)");
  EXPECT_EQ(python_view(operand_of({24}), "base"), "base");
  EXPECT_EQ(python_view(operand_of({}), "base"), "base[0]");
}

TEST(LayoutCode, TransposedAndSliced) {
  Operand operand = operand_of({5, 2});
  operand.layout.order = {1, 0};
  operand.layout.dims[0].before = 1;
  operand.layout.dims[1].step = 2;
  operand.layout.dims[1].after = 1;
  EXPECT_EQ(python_view(operand, "torch.arange(24.)"), "torch.arange(24.).view(4, 6).t()[1:, ::2]");
}

TEST(LayoutCode, OffsetAndTail) {
  Operand operand = operand_of({3});
  operand.layout.offset = 2;
  operand.layout.dims[0] = {2, 1, 4, false, false};
  EXPECT_EQ(python_view(operand, "base"), "base[2:][1:-4:2]");
}

TEST(LayoutCode, Permutations) {
  Operand operand = operand_of({2, 3, 4});
  operand.layout.order = {0, 2, 1};
  EXPECT_EQ(python_view(operand, "base"), "base.view(2, 4, 3).transpose(1, 2)");
  operand.layout.order = {1, 2, 0};
  EXPECT_EQ(python_view(operand, "base"), "base.view(3, 4, 2).permute(2, 0, 1)");
}

TEST(LayoutCode, Expanded) {
  Operand operand = operand_of({3, 4});
  operand.layout.dims[0].expanded = true;
  EXPECT_EQ(python_view(operand, "base"), "base.view(1, 4).expand(3, 4)");
}

TEST(LayoutCode, SlidingIsUnfold) {
  Operand operand = operand_of({4, 3});
  operand.layout.dims[0].slides = true;
  EXPECT_EQ(python_view(operand, "base"), "base.unfold(0, 3, 1)");
}

TEST(LayoutCode, WhatNoChainGivesIsAsStrided) {
  Operand operand = operand_of({4, 3});
  operand.layout.dims[0] = {2, 0, 0, false, true};
  operand.layout.dims[1].step = 3;  // neither dimension of the windows has stride 1
  EXPECT_EQ(python_view(operand, "base"), "base.as_strided((4, 3), (2, 3), 0)");
}

TEST(LayoutCode, AViewWithoutElementsIsOne) {
  EXPECT_EQ(python_view(operand_of({0, 3}), "base"), "base.view(0, 3)");
}

}  // namespace
}  // namespace indexfuzz
