#pragma once
// On which side a job calls implementations.

#include <algorithm>
#include <span>

#include "run/call/implementation.h"
#include "run/shared/job.h"

namespace indexfuzz {

inline bool calls_host(const Job& job, std::span<const Implementation> implementations) {
  return job.places != Job::Places::kGpus &&
         std::ranges::any_of(implementations, [](const auto& i) { return !i.on_gpu(); });
}

inline bool calls_gpus(const Job& job, std::span<const Implementation> implementations) {
  return job.places != Job::Places::kHost &&
         std::ranges::any_of(implementations, [](const auto& i) { return i.on_gpu(); });
}

}  // namespace indexfuzz
