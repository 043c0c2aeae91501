#include "run/gpu/case_feeder.h"

#include <algorithm>
#include <utility>

namespace indexfuzz {

CaseFeeder::CaseFeeder(const Job& job, std::uint64_t batch_size,
                       std::function<Preparation()> preparation)
    : job_(job), batch_size_(batch_size), preparation_(std::move(preparation)) {
  const std::size_t threads = std::max<std::size_t>(3, job.gpu_lanes);
  places_.resize(threads + 1);
  for (Place& place : places_) place.preparation = preparation_();
  for (std::size_t i = 0; i < threads; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { prepare_batches(stop); });
}

std::uint64_t CaseFeeder::first_of(std::uint64_t batch) const {
  const std::uint64_t left = job_.end_case - job_.first_case;
  return batch > left / batch_size_ ? job_.end_case : job_.first_case + batch * batch_size_;
}

void CaseFeeder::prepare_batches(const std::stop_token& stop) {
  Arena arena;
  while (true) {
    std::uint64_t batch = 0;
    {
      std::unique_lock lock(mutex_);
      freed_.wait(lock, stop, [&] {
        return first_of(claimed_) >= job_.end_case ||
               claimed_ < given_ - (in_use_ ? 1 : 0) + places_.size();
      });
      if (stop.stop_requested() || first_of(claimed_) >= job_.end_case) return;
      batch = claimed_++;
    }
    const std::uint64_t first = first_of(batch);
    const std::uint64_t end = first + std::min(batch_size_, job_.end_case - first);
    Place& place = places_[batch % places_.size()];
    prepare_batch(job_, first, end, place.preparation, arena, place.batch);
    {
      const std::lock_guard lock(mutex_);
      place.is_ready = true;
    }
    ready_.notify_one();
  }
}

const PreparedBatch* CaseFeeder::next() {
  std::unique_lock lock(mutex_);
  if (in_use_) {
    Place& freed = places_[(given_ - 1) % places_.size()];
    freed.preparation = preparation_();
    freed.is_ready = false;
    in_use_ = false;
    freed_.notify_one();
  }
  if (first_of(given_) >= job_.end_case) {
    freed_.notify_all();
    return nullptr;
  }
  Place& place = places_[given_ % places_.size()];
  ready_.wait(lock, [&] { return place.is_ready; });
  ++given_;
  in_use_ = true;
  return &place.batch;
}

}  // namespace indexfuzz
