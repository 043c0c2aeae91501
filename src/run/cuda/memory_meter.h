#pragma once
// What this process takes of GPUs by CUDA's own functions, counted to the byte.

#include <cstdint>

namespace indexfuzz::cuda {

/// Counts from `start` to `stop`, by CUPTI, which PyTorch brings along: whoever calls cudaMalloc or
/// the driver's functions is seen. There is one count a process.
class MemoryMeter {
 public:
  MemoryMeter() = default;
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;
  ~MemoryMeter() { stop(); }

  /// False where there is no CUPTI, or another tool uses it.
  bool start();
  void stop();
  bool is_running() const { return subscriber_ != nullptr; }
  /// Bytes taken since `start` and not given back, of all devices.
  std::int64_t bytes() const;

 private:
  void* subscriber_ = nullptr;
};

}  // namespace indexfuzz::cuda
