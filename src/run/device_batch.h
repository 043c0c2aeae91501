#pragma once
// Cases on GPUs: many at once in a campaign, or one alone.

#include <cstdint>

#include <memory>

#include "run/choose.h"
#include "run/device_call.h"
#include "run/session.h"

namespace indexfuzz {

/// What a child ends with after an error of the device, of which its slot tells.
inline constexpr int kDeviceErrorExit = 86;

/// Gathers cases of a campaign and runs them together, with one synchronization.
class DeviceBatch {
 public:
  explicit DeviceBatch(Session& session);
  ~DeviceBatch();
  DeviceBatch(const DeviceBatch&) = delete;
  DeviceBatch& operator=(const DeviceBatch&) = delete;

  /// Adds a case for the implementations on GPUs that are to run it; runs what was gathered first
  /// where there is no room left.
  void add(std::uint64_t number, const Case& drawn);
  /// Runs, judges, counts and reports what was gathered. Ends the process after an error of the
  /// device.
  void run();

 private:
  struct Contents;
  bool add_call(const DeviceCall& call);
  bool add_calls(std::uint64_t number, const Chosen& chosen);

  std::unique_ptr<Contents> contents_;
};

/// Opens the GPU of an implementation, if that has not been done; ends the process where it cannot.
void open_device_of(Session& session, std::size_t implementation);

/// Lays a case, with its rule applied, out on the implementation's GPU, calls and judges; leaves
/// what came back in the session's observation. Ends the process after an error of the device.
Verdict call_on_device(Session& session, const Case& applied, bool illegal, bool legal_base,
                       std::size_t implementation, const Plan& plan);

}  // namespace indexfuzz
