#include "transfer.h"

#include "each.cuh"

namespace kernels {

LaunchError copy_to_device(void* to, const void* from, std::size_t bytes, Stream stream) {
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream);
  return words_for(error != cudaSuccess ? error : cudaStreamSynchronize(stream));
}

LaunchError copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream) {
  const cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream);
  return words_for(error != cudaSuccess ? error : cudaStreamSynchronize(stream));
}

}  // namespace kernels
