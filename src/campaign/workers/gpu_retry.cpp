#include "campaign/workers/gpu_retry.h"

#include "campaign/failure.h"
#include "campaign/workers/death.h"

namespace indexfuzz {
namespace {

constexpr int kMostFailures = 40;
constexpr std::chrono::milliseconds kLater{250};
constexpr int kDevicesUnavailable = 46;                   // cudaErrorDevicesUnavailable
constexpr int kFirstMpsError = 805, kLastMpsError = 810;  // cudaErrorMpsConnectionFailed and on

}  // namespace

bool is_temporary(const Slot& slot) {
  const int code = slot.device_error.load();
  return code == kDevicesUnavailable || (code >= kFirstMpsError && code <= kLastMpsError);
}

void GpuRetry::failed(const Slot& slot, Time now) {
  if (!is_temporary(slot) || ++failures_ == kMostFailures)
    throw DeviceMissing(unusable_device(slot));
  next_ = now + kLater;
}

}  // namespace indexfuzz
