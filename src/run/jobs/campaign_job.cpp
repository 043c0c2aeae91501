#include <algorithm>
#include <array>
#include <optional>

#include "draw/draw.h"
#include "run/gpu/case_feeder.h"
#include "run/gpu/device_batch.h"
#include "run/host/host_batches.h"
#include "run/session/choose.h"
#include "run/session/jobs.h"
#include "run/session/places.h"
#include "run/session/report.h"
#include "run/watch/state.h"

namespace indexfuzz {
namespace {

/// Prepares and calls the cases of implementations on GPUs; made only if there are any.
struct OnDevices {
  OnDevices(Session& session, bool with_bases)
      : feeder(session.slot.job, kBatch,
               [&session, with_bases] {
                 return Preparation{with_bases, [&session, known = narrowings(session.slot)](
                                                    std::uint64_t number, const Case& c) {
                                      return is_wanted_on_devices(session, known, number, c);
                                    }};
               }),
        batch(session) {}
  CaseFeeder feeder;
  DeviceBatch batch;
};

/// The cases of a job, drawn several at a time, since the generator's code and that of the calls
/// evict each other from the nearest caches.
class DrawnAhead {
 public:
  explicit DrawnAhead(const Job& job) : job_(job) {}
  /// Valid until the next call of at().
  const Case& at(std::uint64_t number) {
    if (number < first_ || number >= first_ + count_) {
      first_ = number;
      count_ = std::min<std::uint64_t>(cases_.size(), job_.end_case - number);
      for (std::size_t i = 0; i < count_; ++i) draw(first_ + i, cases_[i]);
    }
    return cases_[number - first_];
  }
  void draw(std::uint64_t number, Case& c) const {
    draw_case(job_.seed, job_.worker, number, {job_.targets, job_.target_count}, job_.limits, c);
  }

 private:
  const Job& job_;
  std::array<Case, 16> cases_;
  std::uint64_t first_ = 0;
  std::size_t count_ = 0;
};

const PreparedBatch* next_batch(OnDevices& on_devices, DeviceTimes& times) {
  PhaseClock clock;
  const PreparedBatch* const prepared = on_devices.feeder.next();
  clock.stroke(times.waiting);
  return prepared;
}

}  // namespace

void run_campaign(Session& session) {
  const Job& job = session.slot.job;
  DrawnAhead drawn(job);
  const bool on_host = calls_host(job, session.implementations);
  std::optional<OnDevices> on_devices;
  if (calls_gpus(job, session.implementations)) {
    on_devices.emplace(session,
                       std::ranges::any_of(session.implementations, [](const Implementation& i) {
                         return i.on_gpu() && i.custom;
                       }));
  }
  const auto goes_on = [&] {
    return !session.spent && session.slot.stop.load(std::memory_order_relaxed) == 0;
  };
  HostBatches batches(session, [&drawn](std::uint64_t number, Case& c) {
    drawn.draw(number, c);
    return true;
  });
  std::uint64_t number = job.first_case;
  while (number < job.end_case && goes_on()) {
    const std::uint64_t batch = batches.first();
    const std::uint64_t end = batch + std::min(kBatch, job.end_case - batch);
    const PreparedBatch* const prepared =
        on_devices ? next_batch(*on_devices, session.device_times) : nullptr;
    for (; number < end && on_host && goes_on(); ++number) {
      const Case& c =
          prepared == nullptr ? drawn.at(number) : prepared->cases[number - batch].drawn;
      batches.run(number, c);
    }
    if (!on_host) number = end;
    if (prepared != nullptr) {
      put_back_global_state(session);
      on_devices->batch.run(*prepared, number - batch);
      take_global_state_change();  // the calls on the host did not make these changes
    }
    if (number < batch + kBatch || !goes_on()) break;
    batches.end_batch(number);
    if (must_end(session)) break;
  }
  batches.end_last_batch(number);
  session.slot.case_number.store(number, std::memory_order_relaxed);
}

}  // namespace indexfuzz
