#include "campaign/gpu/cuda_devices.h"

#include <string>

#include "run/shared/cuda_driver.h"

namespace indexfuzz {

int cuda_devices() {
  std::string why;
  return static_cast<int>(visible_devices(why).size());
}

}  // namespace indexfuzz
