#pragma once
// Cases on GPUs, many at once.

#include <cstdint>

#include <memory>

#include "run/gpu/device_call.h"
#include "run/gpu/prepared_batch.h"
#include "run/session/session.h"

namespace indexfuzz {

/// Runs the cases of a campaign on GPUs, many with one synchronization.
class DeviceBatch {
 public:
  explicit DeviceBatch(Session& session);
  /// Must be destroyed before the batches that it has run.
  ~DeviceBatch();
  DeviceBatch(const DeviceBatch&) = delete;
  DeviceBatch& operator=(const DeviceBatch&) = delete;

  /// Calls, with the first `count` cases, the implementations on GPUs that are to run them; judges,
  /// counts and reports. Ends the process after an error of a device.
  void run(const PreparedBatch& prepared, std::size_t count);

 private:
  struct Contents;
  std::unique_ptr<Contents> contents_;
};

}  // namespace indexfuzz
