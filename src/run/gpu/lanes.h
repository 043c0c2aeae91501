#pragma once
// Threads that make the calls of a batch on a GPU at once. PyTorch's own operators may be called
// from several threads; a custom kernel need not bear that.

#include <ATen/ThreadLocalState.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "run/gpu/device_call.h"

namespace indexfuzz {

/// The calling thread is the first lane; the others are threads owned by this. The process must not
/// fork while they live.
class Lanes {
 public:
  /// `first`: the calling thread's executor.
  Lanes(int count, Executor& first);

  int count() const { return static_cast<int>(executors_.size()) + 1; }
  const Lane& first() const { return first_; }

  using Work = std::function<void(const Lane& lane, std::size_t i)>;
  /// Calls work(lane, i) for every i of `items`, in their order, each on whichever lane is free
  /// next, and waits for the last one. The threads get the calling thread's PyTorch settings.
  /// `work` must not throw.
  void share_out(std::span<const std::size_t> items, const Work& work);

 private:
  void wait_for_work(const std::stop_token& stop, const Lane& lane);
  void take_items(const Lane& lane);

  Lane first_;
  std::vector<std::unique_ptr<Executor>> executors_;
  // What is shared out, and under which settings; written while no thread works.
  std::span<const std::size_t> items_;
  const Work* work_ = nullptr;
  std::optional<at::ThreadLocalState> settings_;
  c10::WarningHandler* warnings_ = nullptr;
  std::atomic<std::size_t> next_ = 0;

  std::mutex mutex_;
  std::condition_variable_any begun_, done_;
  std::size_t round_ = 0;              ///< how many times work was shared out
  std::size_t working_ = 0;            ///< threads that are not done with this round
  std::vector<std::jthread> threads_;  ///< last: what they use must outlive them
};

}  // namespace indexfuzz
