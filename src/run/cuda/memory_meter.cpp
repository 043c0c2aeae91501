#include "run/cuda/memory_meter.h"

#include <cupti.h>
#include <dlfcn.h>

#include <array>
#include <map>
#include <mutex>
#include <string>

namespace indexfuzz::cuda {
namespace {

struct Cupti {
  template <typename Function>
  static Function* find(const char* name) {
    static void* const library = [] {
      const std::string file = "libcupti.so." + std::to_string(CUDA_VERSION / 1000);
      return dlopen(file.c_str(), RTLD_LAZY);
    }();
    return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
  }
  decltype(&cuptiSubscribe) subscribe = find<decltype(cuptiSubscribe)>("cuptiSubscribe");
  decltype(&cuptiUnsubscribe) unsubscribe = find<decltype(cuptiUnsubscribe)>("cuptiUnsubscribe");
  decltype(&cuptiEnableCallback) enable =
      find<decltype(cuptiEnableCallback)>("cuptiEnableCallback");
};
const Cupti& cupti() {
  static const Cupti functions;
  return functions;
}

struct Count {
  std::mutex mutex;
  std::map<CUdeviceptr, std::size_t> sizes;
  std::int64_t bytes = 0;

  void add(CUdeviceptr address, std::size_t size) {
    const std::lock_guard lock(mutex);
    if (sizes.try_emplace(address, size).second) bytes += static_cast<std::int64_t>(size);
  }
  void remove(CUdeviceptr address) {
    const std::lock_guard lock(mutex);
    const auto found = sizes.find(address);
    if (found == sizes.end()) return;
    bytes -= static_cast<std::int64_t>(found->second);
    sizes.erase(found);
  }
  void clear() {
    const std::lock_guard lock(mutex);
    sizes.clear();
    bytes = 0;
  }
};
Count count;

constexpr std::array kWatched{
    CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,   CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync, CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync,  CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz};

/// Counts what a driver's function did, when it returns.
void note(CUpti_CallbackId function, const void* parameters) {
  switch (function) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2: {
      const auto& p = *static_cast<const cuMemAlloc_v2_params*>(parameters);
      return count.add(*p.dptr, p.bytesize);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz: {
      const auto& p = *static_cast<const cuMemAllocAsync_params*>(parameters);
      return count.add(*p.dptr, p.bytesize);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2:
      return count.remove(static_cast<const cuMemFree_v2_params*>(parameters)->dptr);
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz:
      return count.remove(static_cast<const cuMemFreeAsync_params*>(parameters)->dptr);
    default: return;
  }
}

void CUPTIAPI callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId function,
                       const void* data) {
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.callbackSite != CUPTI_API_EXIT) return;
  const auto* const result = static_cast<const CUresult*>(call.functionReturnValue);
  if (result != nullptr && *result == CUDA_SUCCESS) note(function, call.functionParams);
}

}  // namespace

bool MemoryMeter::start() {
  if (subscriber_ != nullptr) return true;
  if (cupti().subscribe == nullptr || cupti().unsubscribe == nullptr || cupti().enable == nullptr)
    return false;
  CUpti_SubscriberHandle subscriber = nullptr;
  if (cupti().subscribe(&subscriber, callback, nullptr) != CUPTI_SUCCESS) return false;
  // Only now: before, another meter of this process might count.
  count.clear();
  for (const auto function : kWatched)
    cupti().enable(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, function);
  subscriber_ = subscriber;
  return true;
}

void MemoryMeter::stop() {
  if (subscriber_ != nullptr) cupti().unsubscribe(static_cast<CUpti_SubscriberHandle>(subscriber_));
  subscriber_ = nullptr;
}

std::int64_t MemoryMeter::bytes() const {
  const std::lock_guard lock(count.mutex);
  return count.bytes;
}

}  // namespace indexfuzz::cuda
