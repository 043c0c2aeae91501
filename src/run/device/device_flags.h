#pragma once
// What a device reports about a block or a result; nvcc reads this too.

#include <cstdint>

namespace indexfuzz {

enum DeviceFlag : std::uint32_t {
  kDeviceValue = 1,   ///< other bytes than in the image or the expected elements
  kDeviceCanary = 2,  ///< bytes around it were overwritten
  /// As kDeviceValue, but right after the call, in the order of the current stream; only on a busy
  /// stream.
  kDeviceEarly = 4,
};

}  // namespace indexfuzz
