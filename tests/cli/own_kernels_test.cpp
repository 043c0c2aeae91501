// indexfuzz's own kernels, as a user meets them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "command.h"

namespace indexfuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::vector<std::string> kOwnOperators{
    "embedding",   "gather",         "index",         "index_add", "index_put",  "index_select",
    "masked_fill", "masked_scatter", "masked_select", "nonzero",   "scatter_add"};

TEST(OwnKernels, AreTestedWithoutBeingAskedFor) {
  const Scratch scratch;
  const Ended ended = run({"fuzz", "gather", "--jobs", "1", "--seed", "1", "--cases", "4000",
                           "--no-verify", "--out", scratch / "o"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto implementations = read_json(scratch / "o/summary.json").at("implementations");
  const auto own = implementations.at("indexfuzz::gather").at("gather");
  EXPECT_GT(own.at("agreed"), 100);
  // A share of what ATen gets, as it is ATen that is looked at.
  EXPECT_LT(own.at("agreed").get<int>() * 4,
            implementations.at("aten:cpu").at("gather").at("agreed").get<int>());
}

TEST(OwnKernels, AreNamedByTheirNamespaceAlone) {
  const Ended all = run({"list", "implementations", "--impl", "indexfuzz"});
  EXPECT_EQ(all.code, 0) << all.err;
  for (const std::string& op : kOwnOperators)
    EXPECT_THAT(all.out, HasSubstr("indexfuzz::" + op + ": " + op + "\n"));
  EXPECT_THAT(all.out, Not(HasSubstr("aten:cpu")));
}

TEST(OwnKernels, AreNotThereWhereAnotherIsChosen) {
  const Ended ended = run({"list", "implementations", "--impl", "aten:cpu"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, Not(HasSubstr("indexfuzz::")));
}

/// A call that is refused, as an illegal one or for its dtype, leaves nothing behind for the next.
TEST(OwnKernels, AgreeBesideATen) {
  for (const std::string op : {"masked_fill", "masked_select"}) {
    const Scratch scratch;
    const Ended ended = run({"fuzz", op, "--impl", "aten:cpu", "--impl", "indexfuzz", "--jobs", "1",
                             "--seed", "1", "--cases", "20000", "--out", scratch / "o"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    const auto summary = read_json(scratch / "o/summary.json");
    EXPECT_EQ(summary.at("unconfirmed"), 0) << op;
    EXPECT_GT(summary.at("implementations").at("aten:cpu").at(op).at("refused"), 100);
  }
}

/// Every operator, each dtype and layout; they take whatever ATen takes.
class OwnKernel : public testing::TestWithParam<std::string> {};

TEST_P(OwnKernel, RefusesNothingAndRaisesNoAlarm) {
  const Scratch scratch;
  const Ended ended = run(fuzz_one(GetParam(), "indexfuzz", scratch / "o",
                                   {"--strict", "--seed", "2", "--cases", "20000"}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto summary = read_json(scratch / "o/summary.json");
  EXPECT_THAT(summary.at("findings"), IsEmpty());
  EXPECT_EQ(summary.at("unconfirmed"), 0);
  EXPECT_GE(summary.at("cases"), 10000);
}

INSTANTIATE_TEST_SUITE_P(Operators, OwnKernel, testing::ValuesIn(kOwnOperators),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace indexfuzz
