// One GPU behind the interface of run/device.h.

#include "run/device.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime_api.h>
#include <torch/csrc/cuda/CUDAPluggableAllocator.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "run/cuda/checks.h"
#include "run/cuda/fetcher.h"
#include "run/cuda/pinned.h"
#include "run/cuda/result_heap.h"
#include "run/cuda/segments.h"
#include "run/staging.h"

namespace indexfuzz::cuda {
namespace {

/// The first part of staged bytes, which few batches exceed; making pages known to the driver takes
/// a third of a millisecond a MiB.
constexpr std::int64_t kPinnedBytes = std::int64_t{4} << 20;
constexpr std::int64_t kBlockTableBytes = std::int64_t{4} << 20;
constexpr std::int64_t kTableBytes = std::int64_t{8} << 20;
constexpr std::int64_t kMostSegmentBytes = std::int64_t{2} << 30;
constexpr std::int64_t kMostHeapBytes = std::int64_t{512} << 20;
/// Below this the buffers alone do not fit.
constexpr std::int64_t kLeastMemory = std::int64_t{256} << 20;
constexpr std::size_t kMaxFlags = 1 << 14;  ///< of blocks, results and owners each
/// Where PyTorch launches when nobody has chosen a stream.
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
        segments_(index, std::min(memory / 2, kMostSegmentBytes)),
        heap_(index, std::min(memory / 4, kMostHeapBytes)),
        blocks_(kBlockTableBytes + 64),
        tables_(kTableBytes) {}

  DeviceError open();

  std::string name() const override { return name_; }
  c10::Allocator* allocator() override { return allocator_.get(); }
  void begin(const std::byte* staged) override;
  void unpin() override;
  std::byte* place(const DeviceBlock& block) override;
  void stage(const std::byte* bytes, std::int64_t count) override;
  DeviceError upload() override;
  void set_owner(int owner) override { heap_.set_owner(owner); }
  void admit(const DeviceRivals& rivals) override;
  void compare(const DeviceResult& result) override;
  DeviceError take_error() override { return error_of(cudaGetLastError()); }
  DeviceError finish() override;
  std::span<const std::uint32_t> block_flags() const override { return {flags_, block_count_}; }
  std::span<const std::uint32_t> result_flags() const override {
    return {flags_ + kMaxFlags, result_count_};
  }
  bool damaged(int owner) const override {
    return owner >= 0 && owner < static_cast<int>(kMaxFlags) &&
           flags_[2 * kMaxFlags + static_cast<std::size_t>(owner)] != 0;
  }
  DeviceError fetch(std::span<const DeviceCopy> copies) override;
  DeviceCounts counts() const override { return counts_; }

 private:
  cudaError_t send(std::int64_t first, std::int64_t end);
  /// Where staged bytes lie in `staged_`.
  std::int64_t offset_of(const void* staged) const {
    return static_cast<const std::byte*>(staged) - staged_from_;
  }

  int index_;
  std::string name_;
  Segments segments_;
  ResultHeap heap_;
  unsigned char* staged_ = nullptr;       ///< the staged bytes on the device
  std::vector<const std::byte*> pinned_;  ///< of staged bytes, where they were told to the driver
  Mirror blocks_;                         ///< before the calls: `block_pieces_`
  Fetcher fetcher_;
  Mirror tables_;                                   ///< after them: the other pieces
  const std::byte* staged_from_ = nullptr;          ///< the batch's staged bytes,
  std::int64_t first_staged_ = 0, staged_end_ = 0;  ///< and what it sends of them
  std::vector<BlockPiece> block_pieces_;
  std::vector<ResultPiece> result_pieces_;
  std::vector<RivalPiece> rival_pieces_;
  std::vector<CanaryPiece> canary_pieces_;
  std::size_t block_count_ = 0;
  std::size_t result_count_ = 0;
  std::uint32_t* flags_ = nullptr;         ///< pinned: of blocks, results, owners
  std::uint32_t* device_flags_ = nullptr;  ///< the same on the device
  std::shared_ptr<c10::cuda::CUDACachingAllocator::CUDAAllocator> allocator_;
  cudaError_t failed_ = cudaSuccess;  ///< of a step that has no way to say so
  DeviceCounts counts_;
};

DeviceError CudaDevice::open() {
  cudaDeviceProp properties{};
  cudaError_t error = cudaSetDevice(index_);
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, index_);
  if (error == cudaSuccess) error = heap_.open();
  if (error == cudaSuccess) error = cudaMalloc(reinterpret_cast<void**>(&staged_), kStagedBytes);
  if (error == cudaSuccess) error = blocks_.open();
  if (error == cudaSuccess) error = fetcher_.open();
  if (error == cudaSuccess) error = tables_.open();
  const std::size_t flag_bytes = 3 * kMaxFlags * sizeof(std::uint32_t);
  if (error == cudaSuccess) error = cudaMallocHost(reinterpret_cast<void**>(&flags_), flag_bytes);
  if (error == cudaSuccess)
    error = cudaMalloc(reinterpret_cast<void**>(&device_flags_), flag_bytes);
  if (error != cudaSuccess) return error_of(error);
  name_ = properties.name;
  allocator_ = torch::cuda::CUDAPluggableAllocator::createCustomAllocator(
      [this](std::size_t bytes, int, cudaStream_t) { return heap_.allocate(bytes); },
      [this](void* pointer, std::size_t, int, cudaStream_t) { heap_.release(pointer); });
  torch::cuda::CUDAPluggableAllocator::changeCurrentAllocator(allocator_);
  return {};
}

void CudaDevice::begin(const std::byte* staged) {
  segments_.reset();
  staged_from_ = staged;
  first_staged_ = kStagedBytes;
  staged_end_ = 0;
  tables_.clear();
  block_pieces_.clear();
  result_pieces_.clear();
  rival_pieces_.clear();
  canary_pieces_.clear();
  block_count_ = result_count_ = 0;
  failed_ = heap_.begin_batch(kStream);
  if (std::ranges::find(pinned_, staged) != pinned_.end()) return;
  pinned_.push_back(staged);
  // Where the system does not permit it, the driver copies by a detour.
  cudaHostRegister(const_cast<std::byte*>(staged), kPinnedBytes, cudaHostRegisterDefault);
  cudaGetLastError();
}

void CudaDevice::unpin() {
  for (const std::byte* const staged : pinned_) cudaHostUnregister(const_cast<std::byte*>(staged));
  cudaGetLastError();
  pinned_.clear();
}

std::byte* CudaDevice::place(const DeviceBlock& block) {
  const std::int64_t bytes = block.front_bytes + block.extent_bytes + block.back_bytes;
  const auto pieces = static_cast<std::int64_t>(block_pieces_.size() + 2 +
                                                static_cast<std::size_t>(bytes / kPieceBytes));
  if (block_count_ == kMaxFlags ||
      pieces * static_cast<std::int64_t>(sizeof(BlockPiece)) > kBlockTableBytes)
    return nullptr;
  const Segment* const segment = segments_.take(bytes, block.flush_left);
  if (segment == nullptr) return nullptr;
  unsigned char* const first =
      block.flush_left ? segment->begin : segment->begin + segment->bytes - bytes;
  unsigned char* const data = first + block.front_bytes;
  BlockPiece piece{};
  piece.extent_begin = data;
  piece.extent_end = data + block.extent_bytes;
  piece.extent = offset_of(block.extent);
  piece.image = offset_of(block.image);
  stage(block.extent, block.extent_bytes);
  stage(block.image, block.extent_bytes);
  piece.block = static_cast<std::int32_t>(block_count_++);
  unsigned char* const end = std::min(first + bytes + kMargin, segment->begin + segment->bytes);
  for (unsigned char* at = std::max(first - kMargin, segment->begin); at < end; at += kPieceBytes) {
    piece.begin = at;
    piece.end = std::min(at + kPieceBytes, end);
    block_pieces_.push_back(piece);
  }
  return reinterpret_cast<std::byte*>(data);
}

void CudaDevice::stage(const std::byte* bytes, std::int64_t count) {
  first_staged_ = std::min(first_staged_, offset_of(bytes) / 16 * 16);
  staged_end_ = std::max(staged_end_, offset_of(bytes) + count);
}

cudaError_t CudaDevice::send(std::int64_t first, std::int64_t end) {
  if (first == end) return cudaSuccess;
  ++counts_.copies;
  return cudaMemcpyAsync(staged_ + first, staged_from_ + first,
                         static_cast<std::size_t>(end - first), cudaMemcpyHostToDevice, kStream);
}

DeviceError CudaDevice::upload() {
  if (failed_ != cudaSuccess) return error_of(failed_);
  first_staged_ = std::min(first_staged_, staged_end_);
  blocks_.clear();
  blocks_.append(std::span<const BlockPiece>(block_pieces_));
  const std::int64_t pinned_end = std::clamp(kPinnedBytes, first_staged_, staged_end_);
  cudaError_t error = send(first_staged_, pinned_end);
  if (error == cudaSuccess) error = send(pinned_end, staged_end_);
  if (error == cudaSuccess) error = blocks_.upload(kStream);
  ++counts_.copies;
  if (error == cudaSuccess) {
    error = cuda::place(blocks_.on_device<BlockPiece>(0), block_pieces_.size(), staged_, kStream);
  }
  return error_of(error);
}

void CudaDevice::admit(const DeviceRivals& rivals) {
  RivalPiece piece{};
  piece.data = reinterpret_cast<const unsigned char*>(rivals.data);
  piece.expected = offset_of(rivals.expected);
  piece.contributors = offset_of(rivals.contributors.data());
  piece.rank = static_cast<std::int32_t>(rivals.shape.size());
  piece.item_size = static_cast<std::int32_t>(rivals.item_size);
  for (std::size_t d = 0; d < rivals.shape.size(); ++d) {
    piece.shape[d] = rivals.shape[d];
    piece.strides[d] = rivals.strides[d] * rivals.item_size;
    piece.expected_strides[d] = rivals.expected_strides[d] * rivals.item_size;
  }
  const auto count = static_cast<std::int64_t>(rivals.contributors.size());
  for (piece.first = 0; piece.first < count; piece.first += kPieceElements) {
    piece.last = std::min(piece.first + kPieceElements, count);
    rival_pieces_.push_back(piece);
  }
}

void CudaDevice::compare(const DeviceResult& result) {
  const auto number = static_cast<std::int32_t>(result_count_++);
  if (result_count_ > kMaxFlags) {
    failed_ = cudaErrorInvalidValue;
    return;
  }
  ResultPiece piece{};
  piece.data = reinterpret_cast<const unsigned char*>(result.data);
  piece.expected = offset_of(result.expected);
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
}

DeviceError CudaDevice::finish() {
  for (const ResultHeap::Allocation& a : heap_.allocations()) {
    if (a.separate || a.owner < 0 || a.owner >= static_cast<int>(kMaxFlags)) continue;
    canary_pieces_.push_back({a.begin - kMargin, a.begin, a.owner});
    canary_pieces_.push_back({a.begin + a.bytes, a.begin + a.bytes + kMargin, a.owner});
  }
  const std::int64_t rivals = tables_.append(std::span<const RivalPiece>(rival_pieces_));
  const std::int64_t results = tables_.append(std::span<const ResultPiece>(result_pieces_));
  const std::int64_t canaries = tables_.append(std::span<const CanaryPiece>(canary_pieces_));
  if (rivals < 0 || results < 0 || canaries < 0) failed_ = cudaErrorMemoryAllocation;
  const std::size_t flag_bytes = 3 * kMaxFlags * sizeof(std::uint32_t);
  cudaError_t error = failed_;
  if (error == cudaSuccess) error = tables_.upload(kStream);
  if (error == cudaSuccess) error = cudaMemsetAsync(device_flags_, 0, flag_bytes, kStream);
  if (error == cudaSuccess) {
    error =
        cuda::admit(tables_.on_device<RivalPiece>(rivals), rival_pieces_.size(), staged_, kStream);
  }
  if (error == cudaSuccess) {
    error = compare_blocks(blocks_.on_device<BlockPiece>(0), block_pieces_.size(), staged_,
                           device_flags_, kStream);
  }
  if (error == cudaSuccess) {
    error = compare_results(tables_.on_device<ResultPiece>(results), result_pieces_.size(), staged_,
                            device_flags_ + kMaxFlags, kStream);
  }
  if (error == cudaSuccess) {
    error = check_canaries(tables_.on_device<CanaryPiece>(canaries), canary_pieces_.size(),
                           device_flags_ + 2 * kMaxFlags, kStream);
  }
  if (error == cudaSuccess)
    error = cudaMemcpyAsync(flags_, device_flags_, flag_bytes, cudaMemcpyDeviceToHost, kStream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(kStream);
  ++counts_.batches;
  counts_.copies += 2;
  ++counts_.synchronizations;
  return error_of(error);
}

DeviceError CudaDevice::fetch(std::span<const DeviceCopy> copies) {
  return error_of(fetcher_.fetch(copies, kStream, counts_));
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
