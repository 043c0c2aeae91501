#pragma once
// Calls on GPUs that keep some of the device's memory.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "run/device_call.h"
#include "run/session.h"

namespace indexfuzz {

/// Calls the implementation again and again on the applied case, and finds a leak where the
/// device's memory, or what was allocated of it through PyTorch, grows in each of several rounds. A
/// call without a leak costs some hundred more. Where the device has no meter, less than 4 KiB a
/// call is not seen, and others that take memory of it all the while are blamed on the call.
std::optional<Verdict> find_device_leak(Session& session, const Case& applied, bool illegal,
                                        std::size_t implementation, const Plan& plan);

/// Looks after batches for what is held more than before, and among their calls for one that keeps
/// it.
class DeviceLeakWatch {
 public:
  /// After a batch whose results have been freed. `report(call, verdict)` tells of a leak. In time
  /// so much is gone then that the session is spent.
  void look(Session& session, Device& device, std::span<const DeviceCall> calls,
            const std::function<void(const DeviceCall&, const Verdict&)>& report);

 private:
  struct Since {
    DeviceHeld first, searched;  ///< at the first look, and at the last one that led to a search
    std::uint64_t looks = 0;
    std::uint32_t searches = 0;
    std::uint32_t looks_to_skip = 0;  ///< before the next search
    bool settled = false;             ///< what is set up once has been
    bool leaks = false;               ///< somebody was found
  };
  bool search(Session& session, std::span<const DeviceCall> calls,
              const std::function<void(const DeviceCall&, const Verdict&)>& report);
  std::array<Since, kMaxDevices> since_;
};

}  // namespace indexfuzz
