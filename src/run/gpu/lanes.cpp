#include "run/gpu/lanes.h"

namespace indexfuzz {

Lanes::Lanes(int count, Executor& first) : first_{0, first} {
  for (int lane = 1; lane < count; ++lane) {
    Executor& executor = *executors_.emplace_back(std::make_unique<Executor>());
    threads_.emplace_back([this, its = Lane{lane, executor}](const std::stop_token& stop) {
      wait_for_work(stop, its);
    });
  }
}

void Lanes::share_out(std::span<const std::size_t> items, const Work& work) {
  items_ = items;
  work_ = &work;
  settings_.emplace();
  warnings_ = c10::WarningUtils::get_warning_handler();
  next_.store(0, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    ++round_;
    working_ = threads_.size();
  }
  begun_.notify_all();
  take_items(first_);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return working_ == 0; });
}

void Lanes::take_items(const Lane& lane) {
  for (std::size_t i = next_++; i < items_.size(); i = next_++) (*work_)(lane, items_[i]);
}

void Lanes::wait_for_work(const std::stop_token& stop, const Lane& lane) {
  std::size_t seen = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (!begun_.wait(lock, stop, [&] { return round_ != seen; })) return;
      seen = round_;
    }
    {
      const at::ThreadLocalStateGuard settings(*settings_);
      c10::WarningUtils::set_warning_handler(warnings_);
      take_items(lane);
    }
    {
      const std::lock_guard lock(mutex_);
      --working_;
    }
    done_.notify_one();
  }
}

}  // namespace indexfuzz
