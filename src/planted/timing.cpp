// Kernels whose result depends on chance or on other threads, and correct ones that look like them.
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

/// Wrong in about one of kOneIn calls, at random, whatever the case.
template <unsigned kOneIn>
Tensor index_select_sometimes(const Tensor& self, int64_t dim, const Tensor& index) {
  static std::minstd_rand random{std::random_device{}()};
  const Tensor result = plain_select(self, dim, index);
  if (result.nbytes() > 0 && random() / 7 % kOneIn == 0)
    *static_cast<char*>(result.mutable_data_ptr()) ^= 1;
  return result;
}

/// Wrong in each 10,000th call of a process, whatever the case.
Tensor index_select_every_10000(const Tensor& self, int64_t dim, const Tensor& index) {
  static unsigned calls = 0;
  const Tensor result = plain_select(self, dim, index);
  if (++calls % 10'000 == 0 && result.nbytes() > 0)
    *static_cast<char*>(result.mutable_data_ptr()) ^= 1;
  return result;
}

/// A byte counts the calls. When it wraps, in each 256th call, the result is zeros.
Tensor index_select_epoch_in_a_byte(const Tensor& self, int64_t dim, const Tensor& index) {
  static std::uint8_t epoch = 0;
  const Tensor result = plain_select(self, dim, index);
  return ++epoch == 0 ? result.zero_() : result;
}

/// Calls visit(position) for the positions of `sizes` with an even row-major number, or an odd one.
template <class Visit>
void each_second(const Position& sizes, bool odd, Visit&& visit) {
  bool turn = false;
  each_position(sizes, [&](const Position& position) {
    if (turn == odd) visit(position);
    turn = !turn;
  });
}

/// Calls move(position, odd) for all positions of `sizes`, in two threads: one for each parity.
template <class Move>
void in_two_threads(const Position& sizes, Move&& move) {
  const auto work = [&](bool odd) {
    each_second(sizes, odd, [&](const Position& position) { move(position, odd); });
  };
  std::thread other(work, true);
  work(false);
  other.join();
}

/// Moves every element by way of a place in memory, which the two threads share (a race) or not.
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
    // For a race the threads wait for each other here, if both have work.
    for (++begun; kShared && begun < 2 && result.numel() > 1;) sched_yield();
    into_place(to.at(position), place);
  });
  return result;
}

/// Like a kernel that compiles itself in the first call whose arguments it accepts.
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
