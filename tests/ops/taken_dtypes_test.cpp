#include "ops/repair/taken_dtypes.h"

#include <gtest/gtest.h>

namespace indexfuzz {
namespace {

TEST(TakenDtypes, AreThoseThatAnyCallTakes) {
  const auto takes = [](std::string_view op, Dtype dtype) {
    return takes_any(*find_operator(op), set_of(dtype));
  };
  EXPECT_TRUE(takes("gather", Dtype::kComplexFloat));
  EXPECT_TRUE(takes("scatter_reduce", Dtype::kComplexFloat)) << "a sum";
  EXPECT_FALSE(takes("index_reduce", Dtype::kComplexFloat));
  EXPECT_TRUE(takes("index_reduce", Dtype::kBool)) << "no mean, but a product";
  EXPECT_FALSE(takes("embedding_bag", Dtype::kInt64)) << "indices are not meant";
  for (const OperatorInfo* op : operators()) EXPECT_TRUE(takes_any(*op, kAllDtypes)) << op->name;
}

}  // namespace
}  // namespace indexfuzz
