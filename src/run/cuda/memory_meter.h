#pragma once
// How much memory of GPUs this process takes through CUDA's own functions, counted to the byte.

#include <cstdint>

namespace indexfuzz::cuda {

/// Counts from start() to stop(), by CUPTI, which PyTorch ships: all calls of cudaMalloc or the
/// driver's functions are seen, whoever makes them. There is one count per process.
class MemoryMeter {
 public:
  MemoryMeter() = default;
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;
  ~MemoryMeter() { stop(); }

  /// False if there is no CUPTI, or if another tool uses it.
  bool start();
  void stop();
  bool is_running() const { return subscriber_ != nullptr; }
  /// Bytes taken since `start` and not given back, of all devices.
  std::int64_t bytes() const;

 private:
  void* subscriber_ = nullptr;
};

}  // namespace indexfuzz::cuda
