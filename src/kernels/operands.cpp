#include "operands.h"

#include <ATen/Context.h>
#include <ATen/ops/empty.h>

#include "copy.h"
#include "transfer.h"

namespace kernels {
namespace {

template <class Args>
void run_in_order(const Args& args, int64_t count, c10::Device device) {
  if constexpr (kCuda) {
    if (count == 0) return;
    ScratchMemory memory(device);
    const Stream stream = current_stream(device);
    Order order{};
    check_launch(launch_sort(args.indexed, count, memory, stream, order));
    check_launch(launch_in_order(args, order, stream));
  }
}

bool must_be_deterministic() {
  return at::globalContext().deterministicAlgorithms();
}

}  // namespace

ScratchMemory::operator Scratch() {
  return {this, [](void* self, size_t bytes) {
            auto& memory = *static_cast<ScratchMemory*>(self);
            memory.kept_.push_back(at::empty({static_cast<int64_t>(bytes)},
                                             at::TensorOptions(memory.device_).dtype(at::kByte)));
            return memory.kept_.back().mutable_data_ptr();
          }};
}

void copy_elements(const Tensor& from, const Tensor& to) {
  if (to.numel() == 0) return;
  CopyArgs args{};
  View target = view(to);
  DimVector strides = broadcast_strides(from, to.sizes());
  args.shape = join(target.sizes, {&target.strides, &strides});
  args.to_strides = packed(target.strides);
  args.from_strides = packed(strides);
  args.to = written_data(to);
  args.from = read_data(from);
  args.item = item_size(to);
  run(args, to.numel(), to.device());
}

Tensor fresh_copy(const Tensor& self, IntArrayRef sizes) {
  const Tensor copy = at::empty(sizes, self.options());
  copy_elements(self, copy);
  return copy;
}

Tensor on_device(const Tensor& tensor, c10::Device device, const char* name) {
  if (tensor.device() == device) return tensor;
  TORCH_CHECK(tensor.is_cpu(), "expected ", name, " on ", device, " or the CPU, got it on ",
              tensor.device());
  const Tensor dense = fresh_copy(tensor, tensor.sizes());
  const Tensor copy = at::empty(dense.sizes(), dense.options().device(device));
  if constexpr (kCuda) {
    if (dense.numel() > 0)
      check_launch(copy_to_device(written_data(copy), read_data(dense), dense.nbytes(),
                                  current_stream(device)));
  }
  return copy;
}

void put_elements(const PutArgs& args, int64_t count, c10::Device device) {
  const bool in_order = must_be_deterministic() || args.item > 8;
  if (in_order && device.is_cuda()) {
    run_in_order(args, count, device);
  } else {
    run(args, count, device);
  }
}

void add_elements(const AddArgs& args, int64_t count, c10::Device device) {
  if (must_be_deterministic() && device.is_cuda()) {
    run_in_order(args, count, device);
  } else {
    run(args, count, device);
  }
}

}  // namespace kernels
