// One GPU behind the interface of run/device.h.

#include "run/device.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "run/cuda/allocators.h"
#include "run/cuda/blocks.h"
#include "run/cuda/call_scope.h"
#include "run/cuda/checks.h"
#include "run/cuda/memory_meter.h"
#include "run/cuda/pinned.h"
#include "run/cuda/result_heap.h"

namespace indexfuzz::cuda {
namespace {

constexpr std::int64_t kStagedBytes = std::int64_t{48} << 20;
constexpr std::int64_t kPackedBytes = std::int64_t{24} << 20;
constexpr std::int64_t kTableBytes = std::int64_t{8} << 20;
constexpr std::int64_t kMostSegmentBytes = std::int64_t{2} << 30;
constexpr std::int64_t kMostHeapBytes = std::int64_t{512} << 20;
/// Below this the buffers alone do not fit.
constexpr std::int64_t kLeastMemory = std::int64_t{256} << 20;
constexpr std::int64_t kLeastForWindows = 8 * FarWindows::kMemory;
/// In which the driver hands out memory.
constexpr std::int64_t kDriverPiece = std::int64_t{2} << 20;
constexpr std::size_t kMaxFlags = 1 << 14;  ///< of blocks, results and owners each
constexpr std::size_t kFlagBytes = 3 * kMaxFlags * sizeof(std::uint32_t);
/// Between batches.
const cudaStream_t kStream = cudaStreamLegacy;

DeviceError error_of(cudaError_t code) {
  if (code == cudaSuccess) return {};
  return {static_cast<int>(code), cudaGetErrorString(code)};
}

class CudaDevice final : public Device {
 public:
  /// `memory`: what may be taken in all; no more than is of use is.
  CudaDevice(int index, std::int64_t memory)
      : index_(index),
        scope_(index),
        blocks_(index, std::min(memory / 2, kMostSegmentBytes), memory >= kLeastForWindows),
        heap_(index, std::min(memory / 4, kMostHeapBytes)),
        staged_(kStagedBytes),
        packed_(kPackedBytes),
        tables_(kTableBytes) {}

  DeviceError open();

  std::string name() const override { return name_; }
  c10::Allocator* allocator() override { return allocator_; }
  void begin(const GpuSettings& settings) override;
  std::byte* place(const DeviceBlock& block) override;
  std::int64_t stage(const std::byte* bytes, std::int64_t count) override;
  DeviceError upload() override;
  void before_call(int owner, int first, int end) override;
  void after_call(int written) override;
  void compare(const DeviceResult& result) override;
  DeviceError take_error() override { return error_of(cudaGetLastError()); }
  DeviceError finish() override;
  std::span<const std::uint32_t> block_flags() const override { return {flags_, blocks_.count()}; }
  std::span<const std::uint32_t> result_flags() const override {
    return {flags_ + kMaxFlags, result_count_};
  }
  bool damaged(int owner) const override {
    return owner >= 0 && owner < static_cast<int>(kMaxFlags) &&
           flags_[2 * kMaxFlags + static_cast<std::size_t>(owner)] != 0;
  }
  DeviceError fetch(std::span<const DeviceCopy> copies) override;
  DeviceHeld held() override;
  void meter(bool on) override {
    if (on)
      meter_.start();
    else
      meter_.stop();
  }
  DeviceCounts counts() const override { return counts_; }

 private:
  void note(cudaError_t error) {
    if (failed_ == cudaSuccess) failed_ = error;
  }
  cudaError_t place_pieces(std::size_t first, std::size_t end, bool pending);
  std::size_t pack_some(std::span<const DeviceCopy> copies);

  int index_;
  std::string name_;
  CallScope scope_;
  Blocks blocks_;
  ResultHeap heap_;
  MemoryMeter meter_;
  Mirror staged_;  ///< before the calls: operands, images, expected results, pieces of blocks
  Mirror packed_;  ///< what is fetched
  Mirror tables_;  ///< after them: `result_pieces_` and canaries
  std::vector<ResultPiece> result_pieces_;
  std::vector<CanaryPiece> canary_pieces_;
  std::vector<FetchPiece> fetch_pieces_;
  std::int64_t packed_bytes_ = 0;
  std::int64_t pieces_at_ = 0;  ///< of the blocks' pieces in staged_
  std::size_t result_count_ = 0;
  std::uint32_t* flags_ = nullptr;         ///< pinned: of blocks, results, owners
  std::uint32_t* device_flags_ = nullptr;  ///< the same on the device
  c10::Allocator* allocator_ = nullptr;
  cudaError_t failed_ = cudaSuccess;  ///< of a step that has no way to say so
  DeviceCounts counts_;
};

DeviceError CudaDevice::open() {
  cudaDeviceProp properties{};
  cudaError_t error = cudaSetDevice(index_);
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, index_);
  if (error == cudaSuccess) error = heap_.open();
  if (error == cudaSuccess) error = staged_.open();
  if (error == cudaSuccess) error = packed_.open();
  if (error == cudaSuccess) error = tables_.open();
  if (error == cudaSuccess) error = cudaMallocHost(reinterpret_cast<void**>(&flags_), kFlagBytes);
  if (error == cudaSuccess)
    error = cudaMalloc(reinterpret_cast<void**>(&device_flags_), kFlagBytes);
  if (error != cudaSuccess) return error_of(error);
  name_ = properties.name;
  allocator_ = allocate_from(index_, heap_);
  return {};
}

void CudaDevice::begin(const GpuSettings& settings) {
  // Batches take turns on several GPUs.
  failed_ = cudaSetDevice(index_);
  blocks_.reset();
  staged_.clear();
  tables_.clear();
  result_pieces_.clear();
  canary_pieces_.clear();
  result_count_ = 0;
  note(scope_.begin(settings));
  heap_.overwrite_released(settings.side_stream);
  note(heap_.begin_batch(scope_.stream()));
}

std::byte* CudaDevice::place(const DeviceBlock& block) {
  return blocks_.count() == kMaxFlags ? nullptr : blocks_.place(block, staged_);
}

std::int64_t CudaDevice::stage(const std::byte* bytes, std::int64_t count) {
  return staged_.fits(count + 64 + blocks_.table_bytes()) ? staged_.append(bytes, count) : -1;
}

DeviceError CudaDevice::upload() {
  pieces_at_ = staged_.append(blocks_.pieces());
  note(staged_.upload(scope_.stream()));
  ++counts_.copies;
  note(cudaMemsetAsync(device_flags_, 0, kFlagBytes, scope_.stream()));
  note(place_pieces(0, blocks_.pieces().size(), scope_.is_busy()));
  // A call may use operands and fresh memory on a stream of its own, which waits for what was
  // launched on the current one before the call, if for anything.
  if (failed_ == cudaSuccess) failed_ = cudaStreamSynchronize(scope_.stream());
  ++counts_.synchronizations;
  return error_of(failed_);
}

cudaError_t CudaDevice::place_pieces(std::size_t first, std::size_t end, bool pending) {
  return cuda::place(staged_.on_device<BlockPiece>(pieces_at_) + first, end - first,
                     staged_.device(), pending, scope_.stream());
}

void CudaDevice::before_call(int owner, int first, int end) {
  heap_.set_owner(owner);
  if (scope_.is_busy()) {
    note(scope_.keep_busy());
    note(place_pieces(blocks_.first_piece(static_cast<std::size_t>(first)),
                      blocks_.first_piece(static_cast<std::size_t>(end)), false));
  }
  scope_.enter();
}

void CudaDevice::after_call(int written) {
  heap_.set_owner(-1);
  scope_.leave();
  if (!scope_.is_busy() || written < 0) return;
  const std::size_t first = blocks_.first_piece(static_cast<std::size_t>(written));
  const std::size_t end = blocks_.first_piece(static_cast<std::size_t>(written) + 1);
  note(compare_blocks(staged_.on_device<BlockPiece>(pieces_at_) + first, end - first,
                      staged_.device(), true, device_flags_, scope_.stream()));
}

void CudaDevice::compare(const DeviceResult& result) {
  const auto number = static_cast<std::int32_t>(result_count_++);
  if (result_count_ > kMaxFlags) {
    failed_ = cudaErrorInvalidValue;
    return;
  }
  ResultPiece piece{};
  piece.data = reinterpret_cast<const unsigned char*>(result.data);
  piece.expected = result.expected;
  piece.rank = static_cast<std::int32_t>(result.shape.size());
  piece.item_size = static_cast<std::int32_t>(result.item_size);
  piece.result = number;
  for (std::size_t d = 0; d < result.shape.size(); ++d) {
    piece.shape[d] = result.shape[d];
    piece.strides[d] = result.strides[d] * result.item_size;
  }
  const std::int64_t count = numel(result.shape);
  for (std::int64_t first = 0; first < count; first += kPieceElements) {
    piece.first = first;
    piece.last = std::min(first + kPieceElements, count);
    result_pieces_.push_back(piece);
  }
  if (!scope_.is_busy()) return;
  piece.first = 0;
  piece.last = count;
  note(compare_early(piece, staged_.device(), device_flags_ + kMaxFlags, scope_.stream()));
}

DeviceError CudaDevice::finish() {
  for (const ResultHeap::Allocation& a : heap_.allocations()) {
    if (a.separate || a.owner < 0 || a.owner >= static_cast<int>(kMaxFlags)) continue;
    canary_pieces_.push_back({a.begin - kMargin, a.begin, a.owner});
    canary_pieces_.push_back({a.begin + a.bytes, a.begin + a.bytes + kMargin, a.owner});
  }
  const std::int64_t results = tables_.append(std::span<const ResultPiece>(result_pieces_));
  const std::int64_t canaries = tables_.append(std::span<const CanaryPiece>(canary_pieces_));
  if (results < 0 || canaries < 0) note(cudaErrorMemoryAllocation);
  const cudaStream_t stream = scope_.stream();
  // What was launched on other streams may still be under way.
  if (scope_.is_busy()) note(scope_.wait());
  note(tables_.upload(stream));
  if (failed_ == cudaSuccess) {
    note(compare_blocks(staged_.on_device<BlockPiece>(pieces_at_), blocks_.pieces().size(),
                        staged_.device(), false, device_flags_, stream));
  }
  if (failed_ == cudaSuccess) {
    note(compare_results(tables_.on_device<ResultPiece>(results), result_pieces_.size(),
                         staged_.device(), device_flags_ + kMaxFlags, stream));
  }
  if (failed_ == cudaSuccess) {
    note(check_canaries(tables_.on_device<CanaryPiece>(canaries), canary_pieces_.size(),
                        device_flags_ + 2 * kMaxFlags, stream));
  }
  if (failed_ == cudaSuccess)
    note(cudaMemcpyAsync(flags_, device_flags_, kFlagBytes, cudaMemcpyDeviceToHost, stream));
  if (failed_ == cudaSuccess) note(scope_.wait());
  ++counts_.batches;
  counts_.copies += 2;
  counts_.synchronizations += scope_.is_busy() ? 2 : 1;
  return error_of(failed_);
}

DeviceHeld CudaDevice::held() {
  heap_.free_separate();
  if (meter_.is_running()) return {heap_.live(), meter_.bytes(), 1};
  std::size_t available = 0, total = 0;
  if (cudaMemGetInfo(&available, &total) != cudaSuccess) return {};
  return {heap_.live(), static_cast<std::int64_t>(total - available) - blocks_.memory(),
          kDriverPiece};
}

DeviceError CudaDevice::fetch(std::span<const DeviceCopy> copies) {
  for (std::size_t done = 0; done < copies.size();) {
    const std::size_t some = pack_some(copies.subspan(done));
    // A piece that does not fit into an empty buffer never will.
    if (some == 0) return error_of(cudaErrorMemoryAllocation);
    const std::int64_t at = tables_.append(std::span<const FetchPiece>(fetch_pieces_));
    if (at < 0) return error_of(cudaErrorMemoryAllocation);
    cudaError_t error = tables_.upload(kStream);
    if (error == cudaSuccess) {
      error = pack(tables_.on_device<FetchPiece>(at), fetch_pieces_.size(), packed_.device_bytes(),
                   kStream);
    }
    if (error == cudaSuccess) error = packed_.download(packed_bytes_, kStream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(kStream);
    if (error != cudaSuccess) return error_of(error);
    counts_.copies += 2;
    ++counts_.synchronizations;
    std::int64_t from = 0;
    for (const DeviceCopy& copy : copies.subspan(done, some)) {
      std::memcpy(copy.to, packed_.host() + from, static_cast<std::size_t>(copy.bytes));
      from += copy.bytes;
    }
    done += some;
  }
  return {};
}

/// Makes pieces of as many copies as the buffers hold; says of how many.
std::size_t CudaDevice::pack_some(std::span<const DeviceCopy> copies) {
  fetch_pieces_.clear();
  tables_.clear();
  packed_bytes_ = 0;
  std::size_t count = 0;
  for (const DeviceCopy& copy : copies) {
    const auto pieces = static_cast<std::size_t>(copy.bytes / kPieceBytes + 1);
    const auto tables =
        static_cast<std::int64_t>((fetch_pieces_.size() + pieces) * sizeof(FetchPiece));
    if (packed_bytes_ + copy.bytes > kPackedBytes || !tables_.fits(tables)) break;
    const auto* const from = reinterpret_cast<const unsigned char*>(copy.from);
    for (std::int64_t at = 0; at < copy.bytes; at += kPieceBytes) {
      fetch_pieces_.push_back(
          {from + at, packed_bytes_ + at, std::min(kPieceBytes, copy.bytes - at)});
    }
    packed_bytes_ += copy.bytes;
    ++count;
  }
  return count;
}

}  // namespace
}  // namespace indexfuzz::cuda

extern "C" indexfuzz::Device* indexfuzz_open_device(int index, std::int64_t memory,
                                                    indexfuzz::DeviceError& error) {
  std::size_t available = 0, total = 0;
  cudaError_t asked = cudaSetDevice(index);
  if (asked == cudaSuccess) asked = cudaMemGetInfo(&available, &total);
  error = indexfuzz::cuda::error_of(asked);
  if (error.code != 0) return nullptr;
  if (memory <= 0) memory = static_cast<std::int64_t>(available / 4);
  if (memory < indexfuzz::cuda::kLeastMemory) {
    error = {cudaErrorMemoryAllocation,
             "too little device memory: " + std::to_string(memory >> 20) + " MiB may be used, " +
                 std::to_string(indexfuzz::cuda::kLeastMemory >> 20) + " MiB are needed"};
    return nullptr;
  }
  auto device = std::make_unique<indexfuzz::cuda::CudaDevice>(index, memory);
  error = device->open();
  return error.code == 0 ? device.release() : nullptr;
}
