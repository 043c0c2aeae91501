#pragma once
// Threads that prepare the batches of a campaign ahead of the thread that makes the calls.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "run/gpu/prepared_batch.h"

namespace indexfuzz {

/// Gives the cases of a campaign's job in their order, batch by batch, whichever thread prepared
/// them. To be made in the process that makes the calls. That process must not fork while this
/// lives.
class CaseFeeder {
 public:
  /// Makes batches of `batch_size` cases from job.first_case to job.end_case; the job must not
  /// change. Has max(3, job.gpu_lanes) threads. `preparation` is called in this thread, here and in
  /// next(), as soon as a batch may be prepared. It takes what has been learned by then, even if a
  /// thread begins with that batch only later.
  CaseFeeder(const Job& job, std::uint64_t batch_size, std::function<Preparation()> preparation);

  /// Waits for the next batch, of at least one case; null after the last. Gives the previous batch
  /// back to the threads.
  const PreparedBatch* next();

 private:
  void prepare_batches(const std::stop_token& stop);
  std::uint64_t first_of(std::uint64_t batch) const;

  const Job& job_;
  std::uint64_t batch_size_;
  std::function<Preparation()> preparation_;
  /// A batch, and the state of its place.
  struct Place {
    PreparedBatch batch;
    Preparation preparation;  ///< of the next batch in this place
    bool is_ready = false;
  };
  std::vector<Place> places_;  ///< batch n is in place n % places_.size()
  std::mutex mutex_;
  std::condition_variable_any ready_, freed_;
  std::uint64_t claimed_ = 0;          ///< batches that a thread has begun
  std::uint64_t given_ = 0;            ///< batches that `next` has returned
  bool in_use_ = false;                ///< whether the last of them is in use
  std::vector<std::jthread> threads_;  ///< last: what they use must outlive them
};

}  // namespace indexfuzz
