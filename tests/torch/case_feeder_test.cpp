// What threads prepare for GPUs is what one thread would prepare, case by case.

#include "run/gpu/case_feeder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>

#include "draw/environment_turns.h"
#include "ops/definition/operator.h"
#include "ops/expectation.h"

namespace indexfuzz {
namespace {

Job job_for(std::initializer_list<const char*> names, std::uint64_t first, std::uint64_t end) {
  Job job{};
  job.limits = Limits{};
  job.seed = 11;
  job.first_case = first;
  job.end_case = end;
  for (const char* name : names) {
    for (const Target& target : targets_of(*find_operator(std::string_view(name))))
      job.targets[job.target_count++] = target;
  }
  return job;
}

std::vector<std::byte> bytes_at(const std::byte* data, std::int64_t count) {
  return data == nullptr ? std::vector<std::byte>() : std::vector<std::byte>(data, data + count);
}

std::int64_t result_bytes(const LaidOut& laid) {
  return numel(laid.result.shape) * static_cast<std::int64_t>(item_size(laid.result.dtype));
}

void expect_same(const LaidOut& a, const LaidOut& b) {
  ASSERT_EQ(*a.c, *b.c);
  ASSERT_EQ(a.operands.size(), b.operands.size());
  for (std::size_t k = 0; k < a.operands.size(); ++k) {
    const PlacedOperand &x = a.operands[k], &y = b.operands[k];
    ASSERT_EQ(x.extent_bytes, y.extent_bytes);
    if (!a.c->operands[k].present || a.images[k] == nullptr) continue;
    EXPECT_EQ(x.data - x.storage, y.data - y.storage);
    EXPECT_EQ(bytes_at(x.data, x.extent_bytes), bytes_at(y.data, y.extent_bytes));
    EXPECT_EQ(bytes_at(a.images[k], x.extent_bytes), bytes_at(b.images[k], y.extent_bytes));
  }
  ASSERT_EQ(a.must_refuse, b.must_refuse);
  if (a.must_refuse) return;
  EXPECT_EQ(bytes_at(a.expected, result_bytes(a)), bytes_at(b.expected, result_bytes(b)));
  ASSERT_EQ(a.contributors.size(), b.contributors.size());
}

TEST(CaseFeeder, GivesWhatOneThreadPreparesInTheSameOrder) {
  const Job job = job_for({"gather", "index_copy", "index_put"}, 100, 100 + 7 * 64 + 5);
  CaseFeeder feeder(job, 64, [] { return Preparation{.with_bases = true}; });
  Arena arena;
  PreparedBatch alone;
  std::uint64_t number = job.first_case;
  while (const PreparedBatch* const given = feeder.next()) {
    const std::uint64_t end = std::min(number + 64, job.end_case);
    prepare_batch(job, number, end, {.with_bases = true}, arena, alone);
    ASSERT_EQ(given->count, alone.count);
    for (std::size_t i = 0; i < alone.count; ++i) {
      SCOPED_TRACE(number + i);
      const PreparedCase &a = given->cases[i], &b = alone.cases[i];
      ASSERT_EQ(a.number, number + i);
      ASSERT_EQ(a.drawn, b.drawn);
      ASSERT_EQ(a.is_illegal, b.is_illegal);
      ASSERT_EQ(a.is_fatal, b.is_fatal);
      if (a.is_fatal) continue;
      expect_same(a.applied, b.applied);
      if (a.is_illegal) expect_same(a.legal_base, b.legal_base);
    }
    number = end;
  }
  EXPECT_EQ(number, job.end_case);
}

TEST(CaseFeeder, EndsWithItsThreadsInTheMiddleOfAnEndlessCampaign) {
  const Job job = job_for({"gather"}, 0, UINT64_MAX);
  CaseFeeder feeder(job, 32, [] { return Preparation{}; });
  for (int batch = 0; batch < 3; ++batch) ASSERT_NE(feeder.next(), nullptr);
}

TEST(CaseFeeder, PreparesABatchByWhatWasKnownWhenItsPlaceWasFreed) {
  const Job job = job_for({"gather"}, 0, 12 * 16);
  std::uint64_t known = 0;  // grows with each batch that has been run
  CaseFeeder feeder(job, 16, [&known] {
    return Preparation{.is_wanted = [most = known](std::uint64_t number, const Case&) {
      return number % 16 < most;
    }};
  });
  for (std::uint64_t batch = 0; const PreparedBatch* const given = feeder.next(); ++batch) {
    const auto wanted = std::ranges::count_if(std::span(given->cases).first(given->count),
                                              [](const PreparedCase& c) { return c.is_wanted; });
    // Batch n waits in the place of batch n - 4, after which that many more had been run.
    EXPECT_EQ(static_cast<std::uint64_t>(wanted), batch < 4 ? 0 : batch - 3);
    ++known;
  }
}

TEST(PreparedBatch, PreparesNothingForACaseThatNobodyWants) {
  const Job job = job_for({"gather"}, 0, 2 * 64);
  Arena arena;
  PreparedBatch all, batch;
  prepare_batch(job, 64, 128, {}, arena, all);
  prepare_batch(job, 0, 64, {}, arena, batch);
  const auto is_odd = [](std::uint64_t number, const Case&) { return number % 2 != 0; };
  prepare_batch(job, 64, 128, {.is_wanted = is_odd}, arena, batch);
  EXPECT_LT(batch.stagings.front()->used(), all.stagings.front()->used());
  for (std::size_t i = 0; i < batch.count; ++i) {
    const PreparedCase& c = batch.cases[i];
    EXPECT_EQ(c.drawn, all.cases[i].drawn);
    EXPECT_EQ(c.key, all.cases[i].key);
    EXPECT_EQ(c.is_wanted, c.number % 2 != 0);
    if (!c.is_wanted) {
      EXPECT_FALSE(c.is_fatal || c.is_illegal || c.is_too_large);
    } else if (!c.is_fatal) {
      expect_same(c.applied, all.cases[i].applied);
    }
  }
}

TEST(LaidOut, HoldsEveryValueOfEveryElementThatHasSeveral) {
  Job job = job_for({"index_copy", "scatter", "index_put"}, 0, 6 * 256);
  job.limits = usual(job.limits);  // each element is looked at in a map
  Arena arena;
  PreparedBatch batch;
  prepare_batch(job, job.first_case, job.end_case, {}, arena, batch);
  std::map<std::uint16_t, int> seen;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const PreparedCase& c = batch.cases[i];
    if (c.is_illegal || c.drawn.breaks != 0 || c.is_fatal) continue;
    SCOPED_TRACE(c.number);
    const Expectation right = expectation(c.drawn);
    std::map<std::int64_t, std::set<std::vector<std::byte>>> values;
    const std::size_t size = item_size(c.applied.result.dtype);
    for (const Contributor& one : c.applied.contributors) {
      const auto* const value = reinterpret_cast<const std::byte*>(one.value);
      values[one.element].insert(std::vector<std::byte>(value, value + size));
    }
    std::map<std::int64_t, std::set<std::vector<std::byte>>> wanted;
    for (std::size_t e = 0; e < right.admissible.size(); ++e) {
      if (!right.admissible[e].empty())
        wanted[static_cast<std::int64_t>(e)] = {right.admissible[e].begin(),
                                                right.admissible[e].end()};
    }
    EXPECT_EQ(values, wanted);
    seen[c.drawn.op] += wanted.empty() ? 0 : 1;
  }
  ASSERT_EQ(seen.size(), 3u);
  for (const auto& [op, cases] : seen) EXPECT_GT(cases, 5) << op;
}

TEST(PreparedBatch, PutsWhatDoesNotFitBehindTheOthersIntoAnotherStaging) {
  // Drawn for several threads, so that some are large.
  const std::uint64_t first = kEnvironmentTurn, end = first + 3 * 4096;
  const Job job = job_for({"where"}, first, end);
  Arena arena;
  PreparedBatch batch;
  prepare_batch(job, first, end, {}, arena, batch);
  EXPECT_GT(batch.stagings.size(), 1u);
  for (std::size_t i = 0; i < batch.count; ++i) {
    const PreparedCase& c = batch.cases[i];
    if (c.is_fatal) continue;
    ASSERT_FALSE(c.is_too_large);
    const Staging& staging = *batch.stagings[c.staging];
    for (std::size_t k = 0; k < c.applied.operands.size(); ++k) {
      if (c.applied.images[k] == nullptr) continue;
      EXPECT_GE(c.applied.operands[k].data, staging.begin());
      EXPECT_LE(c.applied.operands[k].data + c.applied.operands[k].extent_bytes,
                staging.begin() + staging.used());
    }
  }
}

}  // namespace
}  // namespace indexfuzz
