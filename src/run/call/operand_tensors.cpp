#include "run/call/operand_tensors.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "ops/definition/operator.h"
#include "run/call/scalar_type.h"

namespace indexfuzz {
namespace {

/// The device of an operand: some stay on the host.
c10::Device device_of(const Placement& placement, int operand) {
  return operand_at(placement.c, operand).on_host ? c10::Device(c10::DeviceType::CPU)
                                                  : placement.device;
}

c10::DispatchKeySet keys_of(c10::Device device) {
  return c10::DispatchKeySet(device.is_cpu() ? c10::DispatchKey::CPU : c10::DispatchKey::CUDA);
}

/// The extent of an operand's storage. If the call must resize `out`, only the accessible part,
/// since growing a storage copies all of it.
std::span<std::byte> storage_extent(const Placement& placement, int operand) {
  const PlacedOperand& placed = placement.operands[static_cast<std::size_t>(operand)];
  if (spec_of(placement.c, operand).role != Role::kOut || placement.out_fits)
    return {placed.storage - placed.bytes_in_front,
            static_cast<std::size_t>(placed.storage_bytes + placed.bytes_in_front)};
  return {placed.data - placed.front_bytes,
          static_cast<std::size_t>(placed.front_bytes + placed.extent_bytes + placed.back_bytes)};
}

/// A storage over the operand's memory. An `out` can grow, into memory of the placement's
/// allocator.
c10::Storage new_storage(const Placement& placement, int operand) {
  const std::span<std::byte> extent = storage_extent(placement, operand);
  const bool is_out = spec_of(placement.c, operand).role == Role::kOut;
  return c10::Storage(c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), static_cast<std::int64_t>(extent.size()),
      c10::DataPtr(extent.data(), device_of(placement, operand)),
      is_out ? placement.allocator : nullptr, is_out));
}

const std::byte* data_of(const c10::Storage& storage) {
  return static_cast<const std::byte*>(storage.data());
}

/// The operand's storage offset in a storage that begins at `storage`; none if that is no whole
/// number of elements.
std::optional<std::int64_t> offset_in(const std::byte* storage, const std::byte* data,
                                      Dtype dtype) {
  const std::int64_t bytes = data - storage;
  const std::size_t size = item_size(dtype);  // a power of two
  if (bytes < 0 || (static_cast<std::size_t>(bytes) & (size - 1)) != 0) return std::nullopt;
  return bytes >> std::countr_zero(size);
}

at::Tensor new_tensor(const Placement& placement, int operand, c10::Storage storage) {
  const Dtype dtype = operand_at(placement.c, operand).dtype;
  return at::detail::make_tensor<c10::TensorImpl>(std::move(storage),
                                                  keys_of(device_of(placement, operand)),
                                                  c10::scalarTypeToTypeMeta(scalar_type(dtype)));
}

/// Makes the tensor the operand, whose data lie in its storage.
void describe_operand(const Placement& placement, int operand, std::int64_t offset,
                      const at::Tensor& tensor) {
  const auto k = static_cast<std::size_t>(operand);
  const PlacedOperand& placed = placement.operands[k];
  c10::StorageImpl& storage = *tensor.storage().unsafeGetStorageImpl();
  const std::int64_t needed =
      placed.data + placed.extent_bytes - static_cast<const std::byte*>(storage.data());
  if (needed > static_cast<std::int64_t>(storage.nbytes()))
    storage.set_nbytes(static_cast<std::size_t>(needed));
  Dims with_front;
  const at::IntArrayRef sizes = called_sizes(placement, k, with_front);
  const Dims& strides = placed.view.strides;
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(
      sizes, at::IntArrayRef(strides.data(), strides.size()), offset);
}

at::Tensor in_own_storage(const Placement& placement, int operand) {
  const at::Tensor tensor = new_tensor(placement, operand, new_storage(placement, operand));
  const auto k = static_cast<std::size_t>(operand);
  const auto offset = offset_in(data_of(tensor.storage()), called_data(placement.operands[k]),
                                placement.c.operands[k].dtype);
  describe_operand(placement, operand, offset.value_or(0), tensor);
  return tensor;
}

}  // namespace

at::IntArrayRef called_sizes(const Placement& placement, std::size_t operand, Dims& with_front) {
  const Dims& own = placement.c.operands[operand].shape;
  const std::int64_t in_front = placement.operands[operand].slices_in_front;
  if (in_front == 0) return {own.data(), own.size()};
  with_front = own;
  with_front[0] += in_front;
  return {with_front.data(), with_front.size()};
}

void OperandTensors::wrap(const Placement& placement) {
  const Case& c = placement.c;
  count_ = static_cast<int>(placement.operands.size());
  for (int i = 0; i < count_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Operand& operand = c.operands[k];
    tensors_[k].reset();
    if (!operand.present || spec_of(c, i).role == Role::kScalar) continue;
    // Operands that share memory share the storage too, as two views of one tensor do: PyTorch's
    // overlap checks recognise them by that.
    if (operand.shares_memory_with >= 0 && operand.shares_memory_with < i) {
      const at::Tensor& host = tensors_[static_cast<std::size_t>(operand.shares_memory_with)];
      const auto offset = host.defined() ? offset_in(data_of(host.storage()),
                                                     placement.operands[k].data, operand.dtype)
                                         : std::nullopt;
      if (offset) {
        tensors_[k] = new_tensor(placement, i, host.storage());
        describe_operand(placement, i, *offset, tensors_[k]);
        continue;
      }
    }
    tensors_[k] = in_own_storage(placement, i);
  }
}

void OperandTensors::release() {
  for (std::size_t k = 0; k < static_cast<std::size_t>(count_); ++k) tensors_[k].reset();
  count_ = 0;
}

}  // namespace indexfuzz
