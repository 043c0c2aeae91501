#pragma once
// Threads that prepare the batches of a campaign ahead of the one that calls.

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
  /// Has a thread for each of its lanes, and three at least.
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
  void prepare_batches();
  std::uint64_t first_of(std::uint64_t batch) const;

  const Job& job_;
  std::uint64_t batch_size_;
  std::function<Preparation()> preparation_;
  /// A batch, and what becomes of its place.
  struct Place {
    PreparedBatch batch;
    Preparation preparation;  ///< of the batch that comes into it next
    bool is_ready = false;
  };
  std::vector<Place> places_;  ///< batch n in place n % the number of them
  std::mutex mutex_;
  std::condition_variable ready_, freed_;
  std::uint64_t claimed_ = 0;  ///< batches that a thread has taken on
  std::uint64_t given_ = 0;    ///< batches that `next` has returned
  bool in_use_ = false;        ///< the last of them still is
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace indexfuzz
