#pragma once
// Whole operands: copied, written through index tensors, brought to another device.

#include <ATen/core/Tensor.h>

#include <vector>

#include "add.h"
#include "geometry.h"
#include "put.h"
#include "run.h"

namespace kernels {

/// Memory on one device for the launches of one call. It is freed when the call ends, even if they
/// still run: the allocator reuses it only for later work on the same stream.
class ScratchMemory {
 public:
  explicit ScratchMemory(c10::Device device) : device_(device) {}
  operator Scratch();

 private:
  c10::Device device_;
  std::vector<Tensor> kept_;
};

/// to = from, which must broadcast to it. Both have the same dtype and device.
void copy_elements(const Tensor& from, const Tensor& to);

/// A fresh row-major tensor of these sizes that holds self, broadcast to them.
Tensor fresh_copy(const Tensor& self, IntArrayRef sizes);

/// The tensor itself if it is on the device, else a row-major copy there. Throws if it is neither
/// on the device nor on the CPU. `name`: what the message calls it.
Tensor on_device(const Tensor& tensor, c10::Device device, const char* name);

/// Writes `count` elements; on CUDA in a fixed order if deterministic algorithms are on or an
/// element has 16 bytes (PutArgs).
void put_elements(const PutArgs& args, int64_t count, c10::Device device);
/// Adds `count` elements; on CUDA in a fixed order if deterministic algorithms are on.
void add_elements(const AddArgs& args, int64_t count, c10::Device device);

}  // namespace kernels
