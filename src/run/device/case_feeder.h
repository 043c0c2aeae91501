#pragma once
// Threads that prepare the batches of a campaign ahead of the one that calls.

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "run/device/prepared_batch.h"

namespace indexfuzz {

/// Gives the cases of a campaign's job in their order, batch by batch, whichever thread prepared
/// them. To be made in the process that calls, which must not fork while it lives.
class CaseFeeder {
 public:
  /// Batches of `batch_size` cases from job.first_case to job.end_case; the job must stay as it is.
  /// `preparation`: asked here and in next(), as soon as a batch may be prepared: what has been
  /// learned by then goes into it, whenever a thread begins with it.
  CaseFeeder(const Job& job, std::uint64_t batch_size, std::function<Preparation()> preparation);
  ~CaseFeeder();
  CaseFeeder(const CaseFeeder&) = delete;
  CaseFeeder& operator=(const CaseFeeder&) = delete;

  /// Waits for the next batch, of at least one case; null behind the last. The one before is the
  /// threads' again.
  const PreparedBatch* next();

 private:
  static constexpr std::size_t kAhead = 4;
  static constexpr int kThreads = 3;

  void prepare_batches();
  std::uint64_t first_of(std::uint64_t batch) const;

  const Job& job_;
  std::uint64_t batch_size_;
  std::function<Preparation()> preparation_;
  std::array<PreparedBatch, kAhead> batches_;  ///< batch n in place n % kAhead
  std::array<Preparation, kAhead> preparations_;
  std::mutex mutex_;
  std::condition_variable ready_, freed_;
  std::array<bool, kAhead> is_ready_{};
  std::uint64_t claimed_ = 0;  ///< batches that a thread has taken on
  std::uint64_t given_ = 0;    ///< batches that `next` has returned
  bool in_use_ = false;        ///< the last of them still is
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace indexfuzz
