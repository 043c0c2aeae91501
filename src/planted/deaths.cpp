// Kernels that never return, or end their process or the call in an illegal way.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include <ATen/ops/zeros.h>

#include "plain_select.h"

namespace planted {
namespace {

[[noreturn]] void spin() {
  for (std::atomic<int64_t> turns = 0;; ++turns) {
  }
}

[[noreturn]] void wait_deaf() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  while (true) pause();
}

[[noreturn]] void join_busy_thread() {
  std::thread(spin).join();
  std::abort();
}

// The condition that ends the recursion is never met. The addition after the call keeps the
// compiler from turning it into a loop.
int64_t descend(volatile int64_t* from) {
  if (*from < 0) return 0;
  volatile int64_t here = *from + 1;
  const int64_t below = descend(&here);
  return below + *from;
}

[[noreturn]] void recurse() {
  volatile int64_t top = 0;
  if (descend(&top) != 0) std::abort();
  std::abort();
}

[[noreturn]] void allocate_blocks() {
  std::vector<std::vector<char>> blocks;
  while (true) blocks.emplace_back(1 << 20);
}

[[noreturn]] void allocate_tensors() {
  std::vector<Tensor> kept;
  while (true) kept.push_back(at::zeros({1 << 20}));
}

[[noreturn]] void allocate_unchecked() {
  while (true) std::memset(std::malloc(1 << 20), 1, 1 << 20);
}

[[noreturn]] void throw_number() {
  throw 42;
}

[[noreturn]] void leave() {
  std::exit(0);
}

// With a code by which a process of indexfuzz says that it cannot use its GPU.
[[noreturn]] void leave_quickly() {
  std::quick_exit(87);
}

[[noreturn]] void leave_at_once() {
  _exit(0);
}

// Triggers: the calls in which a kernel ends badly.
bool has_seven_indices(const Tensor&, int64_t, const Tensor& index) {
  return index.numel() == 7;
}
bool has_rank_4(const Tensor& self, int64_t, const Tensor&) {
  return self.dim() == 4;
}
bool is_not_dense(const Tensor& self, int64_t, const Tensor&) {
  return !self.is_contiguous();
}
bool has_narrow_index(const Tensor&, int64_t, const Tensor& index) {
  return index.scalar_type() == at::kInt;
}
bool is_bool(const Tensor& self, int64_t, const Tensor&) {
  return self.scalar_type() == at::kBool;
}
bool counts_from_the_end(const Tensor&, int64_t dim, const Tensor&) {
  return dim < 0;
}

template <auto kTrigger, auto kEnd>
Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  const Selection selection = checked_selection(self, dim, index);
  if (kTrigger(self, dim, index)) kEnd();
  const Tensor result = at::empty(selection.shape, self.options());
  select_into(self, selection.dim, selection.rows, result);
  return result;
}

/// Four threads read one byte past the end of self at the same time.
Tensor index_select_threads_read_beyond(const Tensor& self, int64_t dim, const Tensor& index) {
  constexpr int kThreads = 4;
  const Selection selection = checked_selection(self, dim, index);
  if (has_narrow_index(self, dim, index) && self.is_contiguous() && self.numel() > 0) {
    const auto* const end =
        static_cast<const volatile char*>(self.const_data_ptr()) + self.nbytes();
    std::atomic<int> ready = 0;
    const auto look = [&] {
      for (++ready; ready < kThreads;) {
      }
      (void)*end;
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(look);
    for (std::thread& thread : threads) thread.join();
  }
  const Tensor result = at::empty(selection.shape, self.options());
  select_into(self, selection.dim, selection.rows, result);
  return result;
}

/// For five indices the workspace has 2^40 elements.
Tensor index_select_huge_workspace(const Tensor& self, int64_t dim, const Tensor& index) {
  const Selection selection = checked_selection(self, dim, index);
  const int64_t side = index.numel() == 5 ? int64_t{1} << 40 : 1;
  const Tensor workspace = at::empty({side}, self.options());
  const Tensor result = at::empty(selection.shape, self.options());
  select_into(self, selection.dim, selection.rows, result);
  return result;
}

/// Takes less than ATen: neither the plainest call nor most others show that it can return.
Tensor index_select_hang_narrow(const Tensor& self, int64_t dim, const Tensor& index) {
  TORCH_CHECK(self.scalar_type() == at::kDouble, "self must be float64");
  return index_select<has_seven_indices, spin>(self, dim, index);
}

/// An error leaves the lock locked, so that the next call waits forever.
Tensor index_select_lock_kept(const Tensor& self, int64_t dim, const Tensor& index) {
  static std::mutex busy;
  busy.lock();
  const Selection selection = checked_selection(self, dim, index);
  const Tensor result = at::empty(selection.shape, self.options());
  select_into(self, selection.dim, selection.rows, result);
  busy.unlock();
  return result;
}

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "index_select_hang", kSelect, index_select<has_seven_indices, spin>);
  define(m, "index_select_hang_deaf", kSelect, index_select<has_seven_indices, wait_deaf>);
  define(m, "index_select_hang_in_thread", kSelect,
         index_select<has_seven_indices, join_busy_thread>);
  define(m, "index_select_hang_narrow", kSelect, index_select_hang_narrow);
  define(m, "index_select_lock_kept", kSelect, index_select_lock_kept);
  define(m, "index_select_threads_read_beyond", kSelect, index_select_threads_read_beyond);
  define(m, "index_select_stack_overflow", kSelect, index_select<has_rank_4, recurse>);
  define(m, "index_select_abort", kSelect, index_select<is_not_dense, std::abort>);
  define(m, "index_select_throws_number", kSelect, index_select<has_narrow_index, throw_number>);
  define(m, "index_select_exit", kSelect, index_select<is_bool, leave>);
  define(m, "index_select_quick_exit", kSelect, index_select<counts_from_the_end, leave_quickly>);
  define(m, "index_select_exit_at_once", kSelect, index_select<has_rank_4, leave_at_once>);
  define(m, "index_select_endless_blocks", kSelect,
         index_select<has_narrow_index, allocate_blocks>);
  define(m, "index_select_endless_tensors", kSelect, index_select<is_not_dense, allocate_tensors>);
  define(m, "index_select_endless_unchecked", kSelect, index_select<is_bool, allocate_unchecked>);
  define(m, "index_select_huge_workspace", kSelect, index_select_huge_workspace);
}

}  // namespace
}  // namespace planted
