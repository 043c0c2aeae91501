#pragma once
// Host memory that a device copies from and to directly, and its mirror on the device.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace indexfuzz::cuda {

/// A buffer of the host and one of the device, filled front to back and copied as a whole.
class Mirror {
 public:
  explicit Mirror(std::int64_t bytes) : bytes_(bytes) {}
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  cudaError_t open() {
    const auto size = static_cast<std::size_t>(bytes_);
    const cudaError_t error = cudaMallocHost(reinterpret_cast<void**>(&host_), size);
    return error != cudaSuccess ? error : cudaMalloc(reinterpret_cast<void**>(&device_), size);
  }
  void clear() { used_ = 0; }
  bool fits(std::int64_t bytes) const { return used_ + bytes + 16 <= bytes_; }
  /// Returns the offset of the bytes, a multiple of 16; -1 if there is no room.
  std::int64_t append(const void* from, std::int64_t bytes) {
    if (!fits(bytes)) return -1;
    const std::int64_t at = used_;
    if (bytes > 0) std::memcpy(host_ + at, from, static_cast<std::size_t>(bytes));
    used_ = (used_ + bytes + 15) / 16 * 16;
    return at;
  }
  template <typename T>
  std::int64_t append(std::span<const T> items) {
    return append(items.data(), static_cast<std::int64_t>(items.size_bytes()));
  }
  cudaError_t upload(cudaStream_t stream) {
    if (used_ == 0) return cudaSuccess;
    return cudaMemcpyAsync(device_, host_, static_cast<std::size_t>(used_), cudaMemcpyHostToDevice,
                           stream);
  }
  cudaError_t download(std::int64_t bytes, cudaStream_t stream) {
    return cudaMemcpyAsync(host_, device_, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost,
                           stream);
  }
  template <typename T>
  const T* on_device(std::int64_t offset) const {
    return reinterpret_cast<const T*>(device_ + offset);
  }
  unsigned char* device_bytes() { return device_; }
  const unsigned char* host() const { return host_; }

 private:
  std::int64_t bytes_;
  std::int64_t used_ = 0;
  unsigned char* host_ = nullptr;
  unsigned char* device_ = nullptr;
};

}  // namespace indexfuzz::cuda
