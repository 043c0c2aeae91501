#pragma once
// Cases on GPUs: many at once in a campaign, or one alone.

#include <cstdint>

#include <memory>

#include "run/device_call.h"
#include "run/prepared_batch.h"
#include "run/session.h"

namespace indexfuzz {

/// What a child ends with after an error of the device, of which its slot tells.
inline constexpr int kDeviceErrorExit = 86;

/// Runs the cases of a campaign on GPUs, many with one synchronization.
class DeviceBatch {
 public:
  explicit DeviceBatch(Session& session);
  /// Before the batches that it has run are destroyed.
  ~DeviceBatch();
  DeviceBatch(const DeviceBatch&) = delete;
  DeviceBatch& operator=(const DeviceBatch&) = delete;

  /// Calls, with the first `count` cases, the implementations on GPUs that are to run them; judges,
  /// counts and reports. Ends the process after an error of a device.
  void run(const PreparedBatch& prepared, std::size_t count);

 private:
  struct Contents;
  void plan_calls(const PreparedBatch& prepared, std::size_t count);
  bool add_calls(const PreparedCase& c, std::size_t implementation);
  std::size_t gather(const PreparedBatch& prepared, std::size_t next, int device_index);
  void run_gathered(int device_index);
  void count_work();

  std::unique_ptr<Contents> contents_;
};

/// Opens the GPU of an implementation, if that has not been done; ends the process where it cannot.
void open_device_of(Session& session, std::size_t implementation);

/// Lays a case, with its rule applied, out on the implementation's GPU, calls and judges; leaves
/// what came back in the session's observation. Ends the process after an error of the device.
Verdict call_on_device(Session& session, const Case& applied, bool illegal, bool legal_base,
                       std::size_t implementation, const Plan& plan);

}  // namespace indexfuzz
