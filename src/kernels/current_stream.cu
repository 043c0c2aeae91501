#include <c10/cuda/CUDAStream.h>

#include "run.h"

namespace kernels {

Stream current_stream(c10::Device device) {
  return c10::cuda::getCurrentCUDAStream(device.index());
}

}  // namespace kernels
