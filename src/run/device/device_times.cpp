#include "run/device/device_times.h"

namespace indexfuzz {

void count_times(const DeviceTimes& times, DeviceTimes& counted, GpuCounters& counters) {
  const auto add = [](std::atomic<std::uint64_t>& counter, std::uint64_t now, std::uint64_t then) {
    counter.store(counter.load(std::memory_order_relaxed) + now - then, std::memory_order_relaxed);
  };
  const auto add_us = [&](std::atomic<std::uint64_t>& counter, double now, double then) {
    add(counter, static_cast<std::uint64_t>(now * 1e6), static_cast<std::uint64_t>(then * 1e6));
  };
  add(counters.calls, times.calls, counted.calls);
  add(counters.fetched, times.fetched, counted.fetched);
  add_us(counters.waiting_us, times.waiting, counted.waiting);
  add_us(counters.placing_us, times.placing, counted.placing);
  add_us(counters.calling_us, times.calling, counted.calling);
  add_us(counters.checking_us, times.checking, counted.checking);
  add_us(counters.judging_us, times.judging, counted.judging);
  add_us(counters.reporting_us, times.reporting, counted.reporting);
  add_us(counters.metering_us, times.metering, counted.metering);
  add_us(counters.preparing_us, times.preparing, counted.preparing);
  counted = times;
}

}  // namespace indexfuzz
