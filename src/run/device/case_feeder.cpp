#include "run/device/case_feeder.h"

#include <algorithm>
#include <utility>

namespace indexfuzz {

CaseFeeder::CaseFeeder(const Job& job, std::uint64_t batch_size,
                       std::function<Preparation()> preparation)
    : job_(job), batch_size_(batch_size), preparation_(std::move(preparation)) {
  preparations_.fill(preparation_());
  for (int i = 0; i < kThreads; ++i) threads_.emplace_back([this] { prepare_batches(); });
}

CaseFeeder::~CaseFeeder() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  freed_.notify_all();
}

std::uint64_t CaseFeeder::first_of(std::uint64_t batch) const {
  const std::uint64_t left = job_.end_case - job_.first_case;
  return batch > left / batch_size_ ? job_.end_case : job_.first_case + batch * batch_size_;
}

void CaseFeeder::prepare_batches() {
  Arena arena;
  while (true) {
    std::uint64_t batch = 0;
    {
      std::unique_lock lock(mutex_);
      freed_.wait(lock, [&] {
        return stopping_ || first_of(claimed_) >= job_.end_case ||
               claimed_ < given_ - (in_use_ ? 1 : 0) + kAhead;
      });
      if (stopping_ || first_of(claimed_) >= job_.end_case) return;
      batch = claimed_++;
    }
    const std::uint64_t first = first_of(batch);
    const std::uint64_t end = first + std::min(batch_size_, job_.end_case - first);
    const std::size_t place = batch % kAhead;
    prepare_batch(job_, first, end, preparations_[place], arena, batches_[place]);
    {
      const std::lock_guard lock(mutex_);
      is_ready_[place] = true;
    }
    ready_.notify_one();
  }
}

const PreparedBatch* CaseFeeder::next() {
  std::unique_lock lock(mutex_);
  if (in_use_) {
    const std::size_t freed = (given_ - 1) % kAhead;
    preparations_[freed] = preparation_();
    is_ready_[freed] = false;
    in_use_ = false;
    freed_.notify_one();
  }
  if (first_of(given_) >= job_.end_case) {
    freed_.notify_all();
    return nullptr;
  }
  const std::size_t place = given_ % kAhead;
  ready_.wait(lock, [&] { return is_ready_[place]; });
  ++given_;
  in_use_ = true;
  return &batches_[place];
}

}  // namespace indexfuzz
