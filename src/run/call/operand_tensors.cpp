#include "run/call/operand_tensors.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "ops/operator.h"
#include "run/call/scalar_type.h"

namespace indexfuzz {
namespace {

/// Where an operand lies: some stay on the host.
c10::Device device_of(const Placement& placement, int operand) {
  return placement.c.operands[static_cast<std::size_t>(operand)].on_host
             ? c10::Device(c10::DeviceType::CPU)
             : placement.device;
}

c10::DispatchKeySet keys_of(c10::Device device) {
  return c10::DispatchKeySet(device.is_cpu() ? c10::DispatchKey::CPU : c10::DispatchKey::CUDA);
}

/// What an operand's storage is made of.
struct StorageParts {
  std::byte* begin;
  std::int64_t bytes;
  bool grows;
  c10::Device device;
};

/// What an operand's storage covers. Where the call is to resize `out`, that is cut to what is
/// accessible: growing a storage copies all of it.
StorageParts storage_parts(const Placement& placement, int operand) {
  const PlacedOperand& placed = placement.operands[static_cast<std::size_t>(operand)];
  const bool is_out = spec_of(placement.c, operand).role == Role::kOut;
  const c10::Device device = device_of(placement, operand);
  if (!is_out || placement.out_fits) return {placed.storage, placed.storage_bytes, is_out, device};
  return {placed.data - placed.front_bytes,
          placed.front_bytes + placed.extent_bytes + placed.back_bytes, is_out, device};
}

/// An `out` that grows takes its memory where the device's tensors take theirs.
c10::Storage new_storage(const Placement& placement, const StorageParts& parts) {
  return c10::Storage(c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), parts.bytes, c10::DataPtr(parts.begin, parts.device),
      parts.grows ? placement.allocator : nullptr, parts.grows));
}

const std::byte* data_of(const c10::Storage& storage) {
  return static_cast<const std::byte*>(storage.data());
}

/// Where the operand's first element lies in a storage that begins there; none where that is at no
/// whole element.
std::optional<std::int64_t> offset_in(const std::byte* storage, const std::byte* data,
                                      Dtype dtype) {
  const std::int64_t bytes = data - storage;
  const auto size = static_cast<std::int64_t>(item_size(dtype));
  if (bytes < 0 || bytes % size != 0) return std::nullopt;
  return bytes / size;
}

at::Tensor new_tensor(const Placement& placement, int operand, c10::Storage storage) {
  const Dtype dtype = placement.c.operands[static_cast<std::size_t>(operand)].dtype;
  return at::detail::make_tensor<c10::TensorImpl>(std::move(storage),
                                                  keys_of(device_of(placement, operand)),
                                                  c10::scalarTypeToTypeMeta(scalar_type(dtype)));
}

/// Lets the tensor be the operand, whose data lie in its storage.
void describe_operand(const Placement& placement, int operand, std::int64_t offset,
                      const at::Tensor& tensor) {
  const auto k = static_cast<std::size_t>(operand);
  const PlacedOperand& placed = placement.operands[k];
  c10::StorageImpl& storage = *tensor.storage().unsafeGetStorageImpl();
  const std::int64_t needed =
      placed.data + placed.extent_bytes - static_cast<const std::byte*>(storage.data());
  if (needed > static_cast<std::int64_t>(storage.nbytes()))
    storage.set_nbytes(static_cast<std::size_t>(needed));
  const Dims& shape = placement.c.operands[k].shape;
  const Dims& strides = placed.view.strides;
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(
      at::IntArrayRef(shape.data(), shape.size()), at::IntArrayRef(strides.data(), strides.size()),
      offset);
}

/// Whether nobody else holds any part of it, and nothing was done to it that would stay.
bool is_as_made(const at::Tensor& tensor) {
  const c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  const c10::Device cpu(c10::DeviceType::CPU);
  if (tensor.use_count() != 1 || tensor.weak_use_count() != 1 || !impl.unique_version() ||
      impl.key_set() != keys_of(cpu) || impl.autograd_meta() != nullptr || !impl.has_storage())
    return false;
  const c10::Storage& storage = impl.storage();
  // Of its own memory, or of memory that is copied on a write.
  return storage.use_count() == 1 && storage.data_ptr().get_context() == nullptr;
}

}  // namespace

at::Tensor OperandTensors::take_kept(const Placement& placement, int operand) {
  const auto k = static_cast<std::size_t>(operand);
  at::Tensor tensor = std::move(kept_[k]);
  if (!tensor.defined()) return tensor;
  const StorageParts parts = storage_parts(placement, operand);
  if (!parts.device.is_cpu()) return {};
  c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  c10::StorageImpl& storage = *impl.unsafe_storage().unsafeGetStorageImpl();
  storage.set_data_ptr_noswap(c10::DataPtr(parts.begin, parts.device));
  storage.set_nbytes(static_cast<std::size_t>(parts.bytes));
  storage.set_allocator(parts.grows ? placement.allocator : nullptr);
  storage.set_resizable(parts.grows);
  const auto dtype = c10::scalarTypeToTypeMeta(scalar_type(placement.c.operands[k].dtype));
  if (impl.dtype() != dtype) impl.set_storage_and_dtype(impl.storage(), dtype);
  return tensor;
}

at::Tensor OperandTensors::in_own_storage(const Placement& placement, int operand) {
  at::Tensor tensor = take_kept(placement, operand);
  if (!tensor.defined())
    tensor =
        new_tensor(placement, operand, new_storage(placement, storage_parts(placement, operand)));
  const auto k = static_cast<std::size_t>(operand);
  const auto offset = offset_in(data_of(tensor.storage()), placement.operands[k].data,
                                placement.c.operands[k].dtype);
  describe_operand(placement, operand, offset.value_or(0), tensor);
  return tensor;
}

void OperandTensors::wrap(const Placement& placement) {
  const Case& c = placement.c;
  count_ = static_cast<int>(placement.operands.size());
  for (int i = 0; i < count_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Operand& operand = c.operands[k];
    tensors_[k].reset();
    if (!operand.present || spec_of(c, i).role == Role::kScalar) continue;
    // Operands that share memory share the storage too, as two views of one tensor do: that is by
    // what PyTorch's overlap checks know them.
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

void OperandTensors::release(Next next) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(count_); ++k) {
    if (next == Next::kKept && tensors_[k].defined() && is_as_made(tensors_[k]))
      kept_[k] = std::move(tensors_[k]);
    tensors_[k].reset();
  }
  count_ = 0;
}

}  // namespace indexfuzz
