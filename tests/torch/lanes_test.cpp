// The threads that call at once, without a GPU: what is shared out is done once, under the caller's
// settings.

#include "run/gpu/lanes.h"

#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <numeric>
#include <set>
#include <thread>

namespace indexfuzz {
namespace {

TEST(Lanes, EachItemIsTakenOnce) {
  Executor executor;
  for (const int count : {1, 2, 5}) {
    Lanes lanes(count, executor);
    EXPECT_EQ(lanes.count(), count);
    for (const std::size_t items : {0, 1, 3, 1000}) {
      std::vector<std::size_t> shared(items);
      std::iota(shared.begin(), shared.end(), 7);
      std::vector<std::atomic<int>> taken(items);
      lanes.share_out(shared, [&](const Lane&, std::size_t i) { ++taken.at(i - 7); });
      EXPECT_TRUE(std::ranges::all_of(taken, [](const auto& times) { return times == 1; }));
    }
  }
}

TEST(Lanes, RunAtOnceEachOnItsThreadWithItsExecutor) {
  constexpr int kCount = 4;
  Executor executor;
  Lanes lanes(kCount, executor);
  const std::vector<std::size_t> items{0, 1, 2, 3};
  std::barrier all_are_here(kCount);
  std::mutex mutex;
  std::set<int> numbers;
  std::set<const Executor*> executors;
  std::set<std::thread::id> threads;
  lanes.share_out(items, [&](const Lane& lane, std::size_t) {
    all_are_here.arrive_and_wait();
    const std::lock_guard lock(mutex);
    numbers.insert(lane.number);
    executors.insert(&lane.executor);
    threads.insert(std::this_thread::get_id());
    if (lane.number == 0) {
      EXPECT_EQ(&lane.executor, &executor);
    }
  });
  EXPECT_EQ(numbers, (std::set{0, 1, 2, 3}));
  EXPECT_EQ(executors.size(), 4u);
  EXPECT_EQ(threads.size(), 4u);
  EXPECT_TRUE(threads.contains(std::this_thread::get_id()));
}

TEST(Lanes, TheThreadsHaveTheCallersSettings) {
  Executor executor;
  Lanes lanes(2, executor);
  const std::vector<std::size_t> items{0, 1};
  c10::WarningHandler handler;
  c10::WarningHandler* const before = c10::WarningUtils::get_warning_handler();
  c10::WarningUtils::set_warning_handler(&handler);
  for (const bool grad : {false, true}) {
    c10::GradMode::set_enabled(grad);
    std::barrier both_are_here(2);
    lanes.share_out(items, [&](const Lane&, std::size_t) {
      both_are_here.arrive_and_wait();
      EXPECT_EQ(c10::GradMode::is_enabled(), grad);
      EXPECT_EQ(c10::WarningUtils::get_warning_handler(), &handler);
    });
  }
  c10::WarningUtils::set_warning_handler(before);
}

}  // namespace
}  // namespace indexfuzz
