// Operands as tensors.

#include "run/call/operand_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "../written_case.h"
#include "memory/arena.h"
#include "run/call/scalar_type.h"

namespace indexfuzz {
namespace {

using testing::ElementsAreArray;

const Case kFirst = written(
    "index_select functional\nself float32 (4, 3) step=(2, 1)\nindex int64 (2) fill=last\n");
const Case kSecond = written(
    "index_select functional\nself int16 (5) offset=3 guard=right\nindex int32 (7) fill=last\n");

void expect_operands(const OperandTensors& tensors, const Arena& arena) {
  ASSERT_EQ(tensors.count(), static_cast<int>(arena.operands().size()));
  for (std::size_t k = 0; k < arena.operands().size(); ++k) {
    const Operand& operand = arena.current().operands[k];
    const PlacedOperand& placed = arena.operands()[k];
    if (placed.count > 0) {
      EXPECT_EQ(tensors[k].data_ptr(), placed.data);
    }
    EXPECT_EQ(tensors[k].scalar_type(), scalar_type(operand.dtype));
    EXPECT_THAT(tensors[k].sizes(), ElementsAreArray(operand.shape));
    EXPECT_THAT(tensors[k].strides(), ElementsAreArray(placed.view.strides));
    EXPECT_EQ(tensors[k].storage().data(), placed.storage);
    EXPECT_EQ(static_cast<std::int64_t>(tensors[k].storage().nbytes()), placed.storage_bytes);
  }
}

class OperandTensorsTest : public testing::Test {
 protected:
  void wrap(const Case& c) {
    arena_.prepare(c);
    tensors_.wrap(placement_in(arena_));
    expect_operands(tensors_, arena_);
  }

  Arena arena_;
  OperandTensors tensors_;
};

TEST_F(OperandTensorsTest, LieOverTheOperands) {
  wrap(kFirst);
  wrap(kSecond);
}

TEST_F(OperandTensorsTest, AnOutMayGrowAndNothingElse) {
  wrap(written("index_select out\nself int64 (3)\nindex int64 (2) fill=last\nout int64 (0)\n"));
  at::Tensor(tensors_[2]).resize_({64});
  EXPECT_NE(tensors_[2].data_ptr(), arena_.operands()[2].data);
  EXPECT_FALSE(tensors_[0].storage().unsafeGetStorageImpl()->resizable());
}

TEST_F(OperandTensorsTest, NoneIsLeftWhenTheyAreReleased) {
  wrap(kFirst);
  const c10::weak_intrusive_ptr<c10::TensorImpl> self(tensors_[0].getIntrusivePtr());
  tensors_.release();
  EXPECT_TRUE(self.expired());
  EXPECT_EQ(tensors_.count(), 0);
}

TEST_F(OperandTensorsTest, OperandsThatShareMemoryShareTheStorage) {
  Case shared = written(
      "index_copy in-place\nself int64 (4)\nindex int64 (4) fill=ascending\nsource int64 (4)\n");
  shared.operands[2].shares_memory_with = 0;
  arena_.prepare(std::move(shared));
  tensors_.wrap(placement_in(arena_));
  EXPECT_TRUE(tensors_[2].storage().is_alias_of(tensors_[0].storage()));
  EXPECT_EQ(tensors_[2].data_ptr(), tensors_[0].data_ptr());
}

}  // namespace
}  // namespace indexfuzz
