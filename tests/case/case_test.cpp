// Dimensions that come and go with their layout and fill.

#include "case/case.h"

#include <gtest/gtest.h>

namespace indexfuzz {
namespace {

Operand transposed() {
  Operand operand;
  operand.shape = {4, 5, 6};
  operand.layout = contiguous_layout(3);
  operand.layout.order = {2, 0, 1};
  operand.layout.dims[1].step = 2;
  operand.fill.repeats = 0b110;
  return operand;
}

TEST(Dimension, InsertedStandsPlainlyBeforeTheOneItDisplaces) {
  Operand operand = transposed();
  insert_dimension(operand, 1, 7);
  EXPECT_EQ(operand.shape, (Dims{4, 7, 5, 6}));
  EXPECT_EQ(operand.layout.order,
            (boost::container::static_vector<std::uint8_t, kMaxDims>{3, 0, 1, 2}));
  EXPECT_EQ(operand.layout.dims[1], DimLayout{});
  EXPECT_EQ(operand.layout.dims[2].step, 2);
  EXPECT_EQ(operand.fill.repeats, 0b1100);
}

TEST(Dimension, DroppingTheInsertedOneUndoesIt) {
  for (std::size_t d = 0; d <= 3; ++d) {
    Operand operand = transposed();
    insert_dimension(operand, d, 7);
    EXPECT_EQ(operand.shape[d], 7);
    drop_dimension(operand, d);
    EXPECT_EQ(operand, transposed()) << d;
  }
  Operand operand = transposed();
  drop_dimension(operand, 3);
  EXPECT_EQ(operand, transposed());
}

TEST(Dimension, NoneIsInsertedBeyondTheHighestRank) {
  Operand operand;
  operand.layout = contiguous_layout(0);
  for (int i = 0; i < kMaxDims + 3; ++i) insert_dimension(operand, 0, 1);
  EXPECT_EQ(rank(operand.shape), kMaxDims);
}

}  // namespace
}  // namespace indexfuzz
