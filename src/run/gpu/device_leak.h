#pragma once
// Calls on GPUs that keep some of the device's memory.

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "run/gpu/device_call.h"
#include "run/session/session.h"

namespace indexfuzz {

/// Calls the implementation again and again on the applied case, and finds a leak if the device's
/// memory, or what PyTorch's allocator has given out of it, grows in each of several rounds. Costs
/// some hundred calls if there is no leak. Without a meter on the device, less than 4 KiB a call is
/// not noticed, and memory that other processes keep taking meanwhile is charged to the call.
std::optional<Verdict> find_device_leak(Session& session, const Case& applied, bool illegal,
                                        std::size_t implementation, const Plan& plan);

/// Finds calls that keep memory of the device:
/// 1. Looks now and then whether what is held has grown.
/// 2. After growth, looks after each batch.
/// 3. If a batch let it grow, searches its calls for the one that keeps memory.
/// Some batches are metered, which shows what each of their calls keeps, even a few bytes.
class DeviceLeakWatch {
 public:
  /// To be called before a batch with calls of custom kernels, which may take memory by CUDA's own
  /// functions. Starts the device's meter for that batch, if none was metered lately.
  void meter_now_and_then(int index, Device& device);
  /// To be called after each batch, when its results have been freed. `report(call, verdict)`
  /// reports a leak. Marks the session as spent when leaks have taken too much memory.
  void look(Session& session, Device& device, std::span<const DeviceCall> calls,
            const std::function<void(const DeviceCall&, const Verdict&)>& report);

 private:
  /// Memory that a cache or another process takes grows like a leak, so ever more growth is let
  /// pass before the next search.
  struct Patience {
    std::uint32_t searches = 0;
    std::uint32_t let_pass = 0;  ///< before the next search
    bool ends();
  };
  struct Since {
    DeviceHeld first, last;  ///< at the first look, and at the latest one
    DeviceHeld searched;     ///< after the last search
    std::chrono::steady_clock::time_point next_look;
    std::uint32_t attentive_batches = 0;  ///< that are still to be looked at one by one
    Patience with_growth, with_metered;
    std::chrono::steady_clock::time_point next_metered;
    std::chrono::seconds between_metered{1};
    bool metered = false;  ///< whether the current batch is metered
    bool settled = false;  ///< false before the first look, when one-time set-up may still show
    bool leaks = false;    ///< whether a leak was found
  };
  /// Searches the calls that kept at least `kept` bytes while they were metered.
  bool search(Session& session, std::span<const DeviceCall> calls, std::int64_t kept,
              const std::function<void(const DeviceCall&, const Verdict&)>& report);
  std::array<Since, kMaxDevices> since_;
};

}  // namespace indexfuzz
