#include "campaign/gpu/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "campaign/failure.h"
#include "case/strings/counted.h"
#include "run/shared/answer_of_child.h"
#include "run/shared/cuda_driver.h"

namespace indexfuzz {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
/// What the driver takes for a context with PyTorch's kernels in it.
constexpr std::int64_t kContextBytes = 640 * kMiB;
/// What a worker needs at least for its cases.
constexpr std::int64_t kLeastBytes = 256 * kMiB;
/// With this much, a worker's batches have their full size.
constexpr std::int64_t kWorkerBytes = 2048 * kMiB;
/// Processes besides the children: a fresh process and a stand-alone program, which check findings.
constexpr int kFresh = 2;
constexpr GpuChildren kFewest{0, 2, 1};

constexpr std::int64_t kNoAnswer = -1;

/// In a child: the fewest free bytes, kNoAnswer if the driver fails.
std::int64_t ask_driver(const std::set<int>& gpus) {
  void* const driver = open_cuda_driver();
  if (driver == nullptr) return kNoAnswer;
  using Context = void*;
  auto* const init = driver_function<int(unsigned)>(driver, "cuInit");
  auto* const retain = driver_function<int(Context*, int)>(driver, "cuDevicePrimaryCtxRetain");
  auto* const set = driver_function<int(Context)>(driver, "cuCtxSetCurrent");
  auto* const info = driver_function<int(std::size_t*, std::size_t*)>(driver, "cuMemGetInfo_v2");
  if (init == nullptr || retain == nullptr || set == nullptr || info == nullptr || init(0) != 0)
    return kNoAnswer;
  std::int64_t fewest = INT64_MAX;
  for (const int gpu : gpus) {
    Context context = nullptr;
    std::size_t available = 0, total = 0;
    if (retain(&context, gpu) != 0 || set(context) != 0 || info(&available, &total) != 0)
      return kNoAnswer;
    fewest = std::min(fewest, static_cast<std::int64_t>(available));
  }
  return fewest;
}

std::int64_t others_take(const GpuChildren& children) {
  return (children.spares + children.fatal + kFresh) * (kContextBytes + kLeastBytes);
}

/// What is left for each worker's cases.
std::int64_t left_for_workers(std::int64_t bytes, const GpuChildren& children) {
  return (bytes - others_take(children)) / children.workers - kContextBytes;
}

}  // namespace

std::int64_t free_device_memory(const Hello& hello, const Pulse& pulse) {
  const auto bytes =
      answer_of_child([&] { return ask_driver(gpus_of(hello)); }, pulse).value_or(kNoAnswer);
  if (stops_at(pulse)) throw Interruption();
  if (bytes < 0)
    throw DeviceMissing("the CUDA driver does not say how much memory is free on the GPU.");
  return bytes;
}

GpuChildren gpu_children(int workers, unsigned cores) {
  // More children than can be opened while others die would only take memory.
  const int few = static_cast<int>(cores / 4);
  return {workers, std::clamp(few, kFewest.spares, kMostSpares),
          std::clamp(few, kFewest.fatal, kMostFatal)};
}

MemoryPlan share_device_memory(std::int64_t bytes, GpuChildren children) {
  while (left_for_workers(bytes, children) < kWorkerBytes && children.spares > kFewest.spares)
    --children.spares;
  while (left_for_workers(bytes, children) < kWorkerBytes && children.fatal > kFewest.fatal)
    --children.fatal;
  const std::int64_t each = left_for_workers(bytes, children);
  if (each < kLeastBytes) {
    const std::int64_t needed =
        others_take(children) + children.workers * (kContextBytes + kLeastBytes);
    throw DeviceMissing(
        fmt::format("too little device memory: {} MiB may be used, {} {} {} MiB; use fewer --jobs "
                    "or more --gpu-memory.",
                    bytes / kMiB, plural(static_cast<std::uint64_t>(children.workers), "job"),
                    children.workers == 1 ? "needs" : "need", needed / kMiB));
  }
  return {children, each, kLeastBytes};
}

}  // namespace indexfuzz
