// Kernels whose result depends on chance or on other threads, and what only looks like it.
#include <sched.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <random>
#include <thread>

#include "plain_select.h"

namespace planted {
namespace {

/// Wrong in one call of so many, whatever the case.
template <unsigned kOneIn>
Tensor index_select_sometimes(const Tensor& self, int64_t dim, const Tensor& index) {
  static std::minstd_rand random{std::random_device{}()};
  const Tensor result = plain_select(self, dim, index);
  if (result.nbytes() > 0 && random() / 7 % kOneIn == 0)
    *static_cast<char*>(result.mutable_data_ptr()) ^= 1;
  return result;
}

/// Each 10,000th call of a process, whatever the case.
Tensor index_select_every_10000(const Tensor& self, int64_t dim, const Tensor& index) {
  static unsigned calls = 0;
  const Tensor result = plain_select(self, dim, index);
  if (++calls % 10'000 == 0 && result.nbytes() > 0)
    *static_cast<char*>(result.mutable_data_ptr()) ^= 1;
  return result;
}

/// A byte counts the calls, so that each 256th takes what is left over from the first for new.
Tensor index_select_epoch_in_a_byte(const Tensor& self, int64_t dim, const Tensor& index) {
  static std::uint8_t epoch = 0;
  const Tensor result = plain_select(self, dim, index);
  return ++epoch == 0 ? result.zero_() : result;
}

/// The row-major positions of `sizes` with an even number, or with an odd one.
template <class Visit>
void each_second(const Position& sizes, bool odd, Visit&& visit) {
  bool turn = false;
  each_position(sizes, [&](const Position& position) {
    if (turn == odd) visit(position);
    turn = !turn;
  });
}

/// Two threads, each with every second element: `move(position, odd)`.
template <class Move>
void in_two_threads(const Position& sizes, Move&& move) {
  const auto work = [&](bool odd) {
    each_second(sizes, odd, [&](const Position& position) { move(position, odd); });
  };
  std::thread other(work, true);
  work(false);
  other.join();
}

/// Every element goes through a place in memory, which the two threads share or not.
template <bool kShared>
Tensor index_select_in_threads(const Tensor& self, int64_t dim, const Tensor& index) {
  const Selection selection = checked_selection(self, dim, index);
  const Tensor result = at::empty(selection.shape, self.options());
  const Strided from = strided_1d(self), to = strided_1d(result);
  const Combine into_place = mover(from.item);
  char places[2][16];
  std::atomic<int> begun{0};
  in_two_threads(to.sizes, [&](const Position& position, bool odd) {
    Position source = position;
    source[selection.dim] = selection.rows[position[selection.dim]];
    char* const place = places[kShared ? 0 : odd];
    into_place(place, from.at(source));
    // The threads meet, where both have work: else the first one ends before the second begins.
    for (++begun; kShared && begun < 2 && result.numel() > 1;) sched_yield();
    into_place(to.at(position), place);
  });
  return result;
}

/// What a kernel that compiles itself does, once it has found that it takes the call.
Tensor index_select_slow_first_call(const Tensor& self, int64_t dim, const Tensor& index) {
  TORCH_CHECK(self.dim() == 2, "index_select: self is no matrix");
  static const bool compiled = [] {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    return true;
  }();
  TORCH_CHECK(compiled);
  return plain_select(self, dim, index);
}

/// One thread that is started once and waits for work.
class Servant {
 public:
  void run(const std::function<void()>& work) {
    std::unique_lock lock(mutex_);
    work_ = &work;
    changed_.notify_all();
    changed_.wait(lock, [&] { return work_ == nullptr; });
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return work_ != nullptr; });
      (*work_)();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;
  std::thread thread_{[this] { serve(); }};
};

Tensor index_select_servant(const Tensor& self, int64_t dim, const Tensor& index) {
  static auto* const servant = new Servant;
  const Selection selection = checked_selection(self, dim, index);
  const Tensor result = at::empty(selection.shape, self.options());
  servant->run([&] { select_into(self, selection.dim, selection.rows, result); });
  return result;
}

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "index_select_epoch_in_a_byte", kSelect, index_select_epoch_in_a_byte);
  define(m, "index_select_wrong_one_in_100", kSelect, index_select_sometimes<100>);
  define(m, "index_select_wrong_one_in_10000", kSelect, index_select_sometimes<10'000>);
  define(m, "index_select_every_10000", kSelect, index_select_every_10000);
  define(m, "index_select_race", kSelect, index_select_in_threads<true>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "index_select_joins_threads", kSelect, index_select_in_threads<false>);
  define(m, "index_select_slow_first_call", kSelect, index_select_slow_first_call);
  define(m, "index_select_servant", kSelect, index_select_servant);
}

}  // namespace
}  // namespace planted
