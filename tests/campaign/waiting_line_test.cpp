#include "campaign/examine/waiting_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace indexfuzz {
namespace {

using testing::ElementsAre;

std::vector<std::uint32_t> workers_of(const std::deque<Suspect>& line) {
  std::vector<std::uint32_t> workers;
  for (const Suspect& suspect : line) workers.push_back(suspect.worker);
  return workers;
}

Suspect alone(std::uint32_t worker) {
  Suspect suspect;
  suspect.worker = worker;
  return suspect;
}

Suspect in_a_batch(std::uint32_t worker, std::uint64_t fault) {
  Suspect suspect = alone(worker);
  suspect.batch_end = 256;
  suspect.fault = fault;
  return suspect;
}

TEST(WaitingLine, FirstComeFirstServedButBatchesBeforeAll) {
  std::deque<Suspect> line;
  line_up(line, alone(0));
  line_up(line, alone(1));
  EXPECT_THAT(workers_of(line), ElementsAre(0, 1));
  line_up(line, in_a_batch(2, 0));
  line_up(line, alone(3));
  EXPECT_THAT(workers_of(line), ElementsAre(2, 0, 1, 3));
}

TEST(WaitingLine, TheDeadStayBeforeTheBystandersOfTheirFault) {
  std::deque<Suspect> line;
  line_up(line, alone(0));
  // As they are handed over: who died of a fault, then who was only its neighbour.
  for (const std::uint32_t worker : {5, 1, 2}) line_up(line, in_a_batch(worker, 1));
  for (const std::uint32_t worker : {3, 4}) line_up(line, in_a_batch(worker, 2));
  EXPECT_THAT(workers_of(line), ElementsAre(5, 1, 2, 3, 4, 0));
}

TEST(WaitingLine, WhatKeepsAnOperatorAsideWaitsForFewOthers) {
  std::deque<Suspect> line;
  line_up_behind_few(line, alone(7));
  EXPECT_THAT(workers_of(line), ElementsAre(7));
  for (std::uint32_t worker = 0; worker < kOthersBefore; ++worker) line_up(line, alone(worker));
  line_up_behind_few(line, alone(8));
  line_up_behind_few(line, alone(9));
  ASSERT_EQ(line.size(), kOthersBefore + 3);
  EXPECT_EQ(line[kOthersBefore].worker, 9);
  EXPECT_EQ(line[kOthersBefore + 1].worker, 8);
}

}  // namespace
}  // namespace indexfuzz
