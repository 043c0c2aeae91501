#pragma once
// What a device says of a block or a result; nvcc reads this too.

#include <cstdint>

namespace indexfuzz {

enum DeviceFlag : std::uint32_t {
  kDeviceValue = 1,   ///< other bytes than the image's, or than the expected elements'
  kDeviceCanary = 2,  ///< bytes around it were overwritten
  /// Right after the call, in the order of the current stream, as kDeviceValue; on a busy stream
  /// only.
  kDeviceEarly = 4,
};

}  // namespace indexfuzz
