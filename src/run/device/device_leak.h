#pragma once
// Calls on GPUs that keep some of the device's memory.

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "run/device/device_call.h"
#include "run/session.h"

namespace indexfuzz {

/// Calls the implementation again and again on the applied case, and finds a leak where the
/// device's memory, or what was allocated of it through PyTorch, grows in each of several rounds. A
/// call without a leak costs some hundred more. Where the device has no meter, less than 4 KiB a
/// call is not seen, and others that take memory of it all the while are blamed on the call.
std::optional<Verdict> find_device_leak(Session& session, const Case& applied, bool illegal,
                                        std::size_t implementation, const Plan& plan);

/// Looks now and then for what is held more than before; then after each batch, and among the calls
/// of one that let it grow for the call that keeps it. What single calls keep, be it a few bytes,
/// is metered in some batches.
class DeviceLeakWatch {
 public:
  /// Before a batch with calls of custom kernels, which may take memory by CUDA's own functions:
  /// starts the device's meter for that batch, if none was metered lately.
  void meter_now_and_then(int index, Device& device);
  /// After each batch, whose results have been freed. `report(call, verdict)` tells of a leak. In
  /// time so much is gone then that the session is spent.
  void look(Session& session, Device& device, std::span<const DeviceCall> calls,
            const std::function<void(const DeviceCall&, const Verdict&)>& report);

 private:
  /// Memory that a cache or another process takes grows as a leak does: ever more of what looks
  /// like one is let pass.
  struct Patience {
    std::uint32_t searches = 0;
    std::uint32_t let_pass = 0;  ///< before the next search
    bool ends();
  };
  struct Since {
    DeviceHeld first, last;  ///< at the first look, and at the last one
    DeviceHeld searched;     ///< after the last search
    std::chrono::steady_clock::time_point next_look;
    std::uint32_t attentive_batches = 0;  ///< that are still to be looked at one by one
    Patience with_growth, with_metered;
    std::chrono::steady_clock::time_point next_metered;
    std::chrono::seconds between_metered{1};
    bool metered = false;  ///< the current batch is
    bool settled = false;  ///< what is set up once has been
    bool leaks = false;    ///< somebody was found
  };
  /// Among the calls that kept so many bytes while they were metered.
  bool search(Session& session, std::span<const DeviceCall> calls, std::int64_t kept,
              const std::function<void(const DeviceCall&, const Verdict&)>& report);
  std::array<Since, kMaxDevices> since_;
};

}  // namespace indexfuzz
