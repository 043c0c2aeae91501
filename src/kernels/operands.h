#pragma once
// Whole operands: copied, written through index tensors, brought to another device.

#include <ATen/core/Tensor.h>

#include <vector>

#include "add.h"
#include "geometry.h"
#include "put.h"
#include "run.h"

namespace kernels {

/// Memory on one device for the launches of one call. Given back when it ends: the allocator
/// reuses it behind the work of the same stream only.
class ScratchMemory {
 public:
  explicit ScratchMemory(c10::Device device) : device_(device) {}
  operator Scratch();

 private:
  c10::Device device_;
  std::vector<Tensor> kept_;
};

/// to = from, broadcast to it. Both of one dtype, on one device.
void copy_elements(const Tensor& from, const Tensor& to);

/// A fresh row-major tensor of these sizes that holds self, broadcast to them.
Tensor fresh_copy(const Tensor& self, IntArrayRef sizes);

/// The tensor itself where it is on the device, else a row-major copy of one from the CPU.
Tensor on_device(const Tensor& tensor, c10::Device device, const char* name);

/// Writes or adds `count` elements, in a fixed order where deterministic algorithms are asked for.
void put_elements(const PutArgs& args, int64_t count, c10::Device device);
void add_elements(const AddArgs& args, int64_t count, c10::Device device);

}  // namespace kernels
