#include "campaign/examine/operators_aside.h"

#include <gtest/gtest.h>

#include <memory>

#include "draw/draw.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

class OperatorsAsideTest : public testing::Test {
 protected:
  struct Free {
    void operator()(SharedMemory* memory) const { std::free(memory); }
  };

  OperatorsAsideTest() {
    plan_.seed = 1;
    for (const Target& target : all_targets()) {
      const std::string_view name = find_operator(target.op)->name;
      if (name == "gather" || name == "take") plan_.targets.push_back(target);
    }
  }
  /// A batch of one call, whose case is of this operator.
  Suspect batch_of(std::string_view op, std::uint32_t worker, std::uint32_t implementation) const {
    Suspect batch;
    batch.worker = worker;
    std::uint64_t& number = batch.case_number;
    while (operator_of(drawn_case(plan_, worker, number)).name != op) number += kOperatorTurn;
    batch.batch_end = number + 1;
    batch.batch_calls = {{number, implementation}};
    return batch;
  }
  bool is_aside(std::string_view op, std::uint32_t implementation) const {
    const auto place = static_cast<std::size_t>(place_of(find_operator(op)->number));
    return (memory_->set_aside[implementation][place / 64].load() >> place % 64 & 1) != 0;
  }

  std::unique_ptr<SharedMemory, Free> memory_{
      static_cast<SharedMemory*>(std::calloc(1, shared_memory_bytes(0)))};
  WorkPlan plan_;
  OperatorsAside operators_aside_{*memory_};
};

TEST_F(OperatorsAsideTest, OnlyWhatTheBatchCalledIsPassedOver) {
  const Suspect batch = batch_of("gather", 0, 1);
  EXPECT_TRUE(operators_aside_.add(batch, plan_));
  EXPECT_TRUE(is_aside("gather", 1));
  EXPECT_FALSE(is_aside("gather", 0)) << "of another implementation";
  EXPECT_FALSE(is_aside("take", 1));
  operators_aside_.remove(batch);
  EXPECT_FALSE(is_aside("gather", 1));
}

TEST_F(OperatorsAsideTest, WhatTwoBatchesCalledWaitsForBoth) {
  const Suspect one = batch_of("gather", 0, 0), other = batch_of("gather", 1, 0);
  EXPECT_TRUE(operators_aside_.add(one, plan_));
  EXPECT_TRUE(operators_aside_.add(other, plan_));
  operators_aside_.remove(one);
  EXPECT_TRUE(is_aside("gather", 0));
  operators_aside_.remove(one);
  EXPECT_TRUE(is_aside("gather", 0)) << "it was removed before";
  operators_aside_.remove(other);
  EXPECT_FALSE(is_aside("gather", 0));
}

TEST_F(OperatorsAsideTest, OfALocatedCaseOnlyItsOwnOperatorStaysAside) {
  Suspect batch = batch_of("gather", 0, 0);
  batch.batch_calls.push_back({batch.case_number, 1});
  EXPECT_TRUE(operators_aside_.add(batch, plan_));
  Suspect located = batch;
  located.c = drawn_case(plan_, 0, batch.case_number);
  located.implementation = 1;
  located.case_number += 3;
  operators_aside_.narrow(batch, located);
  EXPECT_FALSE(is_aside("gather", 0));
  EXPECT_TRUE(is_aside("gather", 1));
  operators_aside_.remove(batch);
  EXPECT_TRUE(is_aside("gather", 1));
  operators_aside_.remove(located);
  EXPECT_FALSE(is_aside("gather", 1));
  operators_aside_.narrow(batch, located);
  EXPECT_FALSE(is_aside("gather", 1)) << "nothing was set aside for the batch";
}

TEST_F(OperatorsAsideTest, SomethingIsLeftToRun) {
  EXPECT_TRUE(operators_aside_.add(batch_of("gather", 0, 0), plan_));
  const Suspect last = batch_of("take", 1, 0);
  EXPECT_FALSE(operators_aside_.add(last, plan_));
  EXPECT_FALSE(is_aside("take", 0));
  operators_aside_.remove(last);
  EXPECT_TRUE(is_aside("gather", 0));
}

}  // namespace
}  // namespace indexfuzz
