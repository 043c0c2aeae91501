// One GPU behind the interface of run/device/device.h.

#include "run/device/device.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "run/cuda/allocators.h"
#include "run/cuda/blocks.h"
#include "run/cuda/call_scope.h"
#include "run/cuda/checks.h"
#include "run/cuda/device_error.h"
#include "run/cuda/fetcher.h"
#include "run/cuda/memory_load.h"
#include "run/cuda/memory_meter.h"
#include "run/cuda/pinned.h"
#include "run/cuda/result_heap.h"
#include "run/cuda/staged_bytes.h"
#include "run/device/staging.h"

namespace indexfuzz::cuda {
namespace {

constexpr std::int64_t kTableBytes = std::int64_t{8} << 20;
constexpr std::int64_t kMostBlockBytes = std::int64_t{2} << 30;
constexpr std::int64_t kMostHeapBytes = std::int64_t{512} << 20;
/// Below this the buffers alone do not fit.
constexpr std::int64_t kLeastMemory = std::int64_t{256} << 20;
/// The unit in which the driver hands out memory.
constexpr std::int64_t kDriverPiece = std::int64_t{2} << 20;
constexpr std::size_t kMaxFlags = 1 << 14;  ///< for blocks, results and owners each
constexpr std::size_t kFlagBytes = 3 * kMaxFlags * sizeof(std::uint32_t);
/// The stream between batches.
const cudaStream_t kStream = cudaStreamLegacy;

class CudaDevice final : public Device {
 public:
  /// `memory`: the most that may be taken in all; no more is taken than is of use.
  CudaDevice(int index, std::int64_t memory)
      : index_(index),
        blocks_(index, std::min(memory / 2, kMostBlockBytes)),
        heap_(std::min(memory / 4, kMostHeapBytes)),
        block_pieces_(Blocks::kMostTableBytes + 64),
        tables_(kTableBytes) {
    for (int lane = 0; lane < kMaxGpuLanes; ++lane) scopes_.emplace_back(index, lane == 0);
  }

  DeviceError open();

  c10::Allocator* allocator() override { return allocator_; }
  void begin(const std::byte* staged, const GpuSettings& settings, BusyStreams busy,
             int lanes) override;
  void unpin() override { staged_.unpin(); }
  std::byte* place(const DeviceBlock& block) override;
  void stage(const std::byte* bytes, std::int64_t count) override;
  DeviceError upload(Waits waits) override;
  void before_call(int lane, int owner, int first, int end) override;
  void after_call(int lane, int written) override;
  void admit(const DeviceRivals& rivals) override;
  int compare(int lane, const DeviceResult& result) override;
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
  DeviceHeld held(Asks asks) override;
  bool meter(bool on) override {
    if (on) return meter_.start();
    meter_.stop();
    return false;
  }
  std::int64_t metered() const override { return meter_.is_running() ? meter_.bytes() : 0; }
  DeviceCounts counts() const override { return counts_; }

 private:
  /// Keeps the first error.
  void note(cudaError_t error) {
    cudaError_t none = cudaSuccess;
    if (error != cudaSuccess) failed_.compare_exchange_strong(none, error);
  }
  CallScope& scope(int lane) { return scopes_[static_cast<std::size_t>(lane)]; }
  cudaError_t place_pieces(std::size_t first, std::size_t end, bool pending, cudaStream_t stream);

  int index_;
  std::deque<CallScope> scopes_;  ///< by lane; the batch's own work belongs to lane 0
  int lanes_ = 1;                 ///< of the batch
  MemoryLoad load_;
  bool loaded_ = false;  ///< whether `load_` runs during the batch's calls
  Blocks blocks_;
  ResultHeap heap_;
  MemoryMeter meter_;
  StagedBytes staged_;   ///< sent before the calls: operands, images, expected results
  Mirror block_pieces_;  ///< likewise: the pieces of blocks
  Mirror tables_;        ///< sent after the calls: the other pieces
  Fetcher fetcher_;
  std::mutex results_mutex_;  ///< guards the next three
  std::vector<ResultPiece> result_pieces_;
  std::vector<RivalPiece> rival_pieces_;
  std::size_t result_count_ = 0;
  std::vector<CanaryPiece> canary_pieces_;
  std::uint32_t* flags_ = nullptr;         ///< pinned: flags of blocks, results, owners
  std::uint32_t* device_flags_ = nullptr;  ///< the same on the device
  c10::Allocator* allocator_ = nullptr;
  std::atomic<cudaError_t> failed_ = cudaSuccess;  ///< of a step that cannot return its error
  DeviceCounts counts_;
};

DeviceError CudaDevice::open() {
  cudaError_t error = cudaSetDevice(index_);
  if (error == cudaSuccess) error = heap_.open();
  if (error == cudaSuccess) error = staged_.open();
  if (error == cudaSuccess) error = block_pieces_.open();
  if (error == cudaSuccess) error = fetcher_.open();
  if (error == cudaSuccess) error = tables_.open();
  if (error == cudaSuccess) error = cudaMallocHost(reinterpret_cast<void**>(&flags_), kFlagBytes);
  if (error == cudaSuccess)
    error = cudaMalloc(reinterpret_cast<void**>(&device_flags_), kFlagBytes);
  if (error != cudaSuccess) return error_of(error);
  allocator_ = allocate_from(index_, heap_);
  return {};
}

void CudaDevice::begin(const std::byte* staged, const GpuSettings& settings, BusyStreams busy,
                       int lanes) {
  // With several GPUs, batches take turns on them.
  failed_ = cudaSetDevice(index_);
  blocks_.reset();
  staged_.begin(staged);
  block_pieces_.clear();
  tables_.clear();
  result_pieces_.clear();
  rival_pieces_.clear();
  canary_pieces_.clear();
  result_count_ = 0;
  loaded_ = settings.busy_memory;
  lanes_ = lanes;
  for (int lane = 0; lane < lanes_; ++lane) note(scope(lane).begin(settings, busy));
  heap_.overwrite_released(settings.side_stream);
  note(heap_.begin_batch(scope(0).stream()));
}

std::byte* CudaDevice::place(const DeviceBlock& block) {
  return blocks_.count() == kMaxFlags ? nullptr : blocks_.place(block, staged_);
}

void CudaDevice::stage(const std::byte* bytes, std::int64_t count) {
  staged_.take(bytes, count);
}

DeviceError CudaDevice::upload(Waits waits) {
  const cudaStream_t stream = scope(0).stream();
  note(staged_.upload(stream, counts_.copies));
  block_pieces_.append(blocks_.pieces());
  note(block_pieces_.upload(stream));
  ++counts_.copies;
  note(cudaMemsetAsync(device_flags_, 0, kFlagBytes, stream));
  note(place_pieces(0, blocks_.pieces().size(), scope(0).is_busy(), stream));
  if (waits == Waits::kHostToo) {
    if (failed_ == cudaSuccess) note(cudaStreamSynchronize(stream));
    ++counts_.synchronizations;
  } else {
    for (int lane = 1; lane < lanes_; ++lane) note(scope(lane).wait_for(scope(0)));
  }
  if (loaded_) note(load_.start(staged_.on_device(), kStagedBytes));
  return error_of(failed_);
}

cudaError_t CudaDevice::place_pieces(std::size_t first, std::size_t end, bool pending,
                                     cudaStream_t stream) {
  return cuda::place(block_pieces_.on_device<BlockPiece>(0) + first, end - first,
                     staged_.on_device(), pending, stream);
}

void CudaDevice::before_call(int lane, int owner, int first, int end) {
  heap_.set_owner(lane, owner);
  CallScope& its = scope(lane);
  its.enter();
  if (!its.is_busy()) return;
  note(its.keep_busy());
  note(place_pieces(blocks_.first_piece(static_cast<std::size_t>(first)),
                    blocks_.first_piece(static_cast<std::size_t>(end)), false, its.stream()));
}

void CudaDevice::after_call(int lane, int written) {
  heap_.set_owner(lane, -1);
  const CallScope& its = scope(lane);
  its.leave();
  if (!its.is_busy() || written < 0) return;
  const std::size_t first = blocks_.first_piece(static_cast<std::size_t>(written));
  const std::size_t end = blocks_.first_piece(static_cast<std::size_t>(written) + 1);
  note(compare_blocks(block_pieces_.on_device<BlockPiece>(0) + first, end - first,
                      staged_.on_device(), true, device_flags_, its.stream()));
}

void CudaDevice::admit(const DeviceRivals& rivals) {
  RivalPiece piece{};
  piece.data = reinterpret_cast<const unsigned char*>(rivals.data);
  piece.expected = staged_.offset_of(rivals.expected);
  piece.contributors = staged_.offset_of(rivals.contributors.data());
  piece.rank = static_cast<std::int32_t>(rivals.shape.size());
  piece.item_size = static_cast<std::int32_t>(rivals.item_size);
  for (std::size_t d = 0; d < rivals.shape.size(); ++d) {
    piece.shape[d] = rivals.shape[d];
    piece.strides[d] = rivals.strides[d] * rivals.item_size;
    piece.expected_strides[d] = rivals.expected_strides[d] * rivals.item_size;
  }
  const auto count = static_cast<std::int64_t>(rivals.contributors.size());
  const std::lock_guard lock(results_mutex_);
  for (piece.first = 0; piece.first < count; piece.first += kPieceElements) {
    piece.last = std::min(piece.first + kPieceElements, count);
    rival_pieces_.push_back(piece);
  }
}

int CudaDevice::compare(int lane, const DeviceResult& result) {
  ResultPiece piece{};
  piece.data = reinterpret_cast<const unsigned char*>(result.data);
  piece.expected = staged_.offset_of(result.expected);
  piece.rank = static_cast<std::int32_t>(result.shape.size());
  piece.item_size = static_cast<std::int32_t>(result.item_size);
  for (std::size_t d = 0; d < result.shape.size(); ++d) {
    piece.shape[d] = result.shape[d];
    piece.strides[d] = result.strides[d] * result.item_size;
  }
  const std::int64_t count = numel(result.shape);
  {
    const std::lock_guard lock(results_mutex_);
    piece.result = static_cast<std::int32_t>(result_count_++);
    if (result_count_ > kMaxFlags) {
      note(cudaErrorInvalidValue);
      return -1;
    }
    for (std::int64_t first = 0; first < count; first += kPieceElements) {
      piece.first = first;
      piece.last = std::min(first + kPieceElements, count);
      result_pieces_.push_back(piece);
    }
  }
  if (!scope(lane).is_busy()) return piece.result;
  piece.first = 0;
  piece.last = count;
  note(compare_early(piece, staged_.on_device(), device_flags_ + kMaxFlags, scope(lane).stream()));
  return piece.result;
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
  if (rivals < 0 || results < 0 || canaries < 0) note(cudaErrorMemoryAllocation);
  const cudaStream_t stream = scope(0).stream();
  note(load_.stop());
  // Work that was launched on other streams may still be under way.
  if (scope(0).is_busy()) {
    note(scope(0).wait());
  } else {
    for (int lane = 1; lane < lanes_; ++lane) note(scope(0).wait_for(scope(lane)));
  }
  note(tables_.upload(stream));
  if (failed_ == cudaSuccess) {
    note(cuda::admit(tables_.on_device<RivalPiece>(rivals), rival_pieces_.size(),
                     staged_.on_device(), stream));
  }
  if (failed_ == cudaSuccess) {
    note(compare_blocks(block_pieces_.on_device<BlockPiece>(0), blocks_.pieces().size(),
                        staged_.on_device(), false, device_flags_, stream));
  }
  if (failed_ == cudaSuccess) {
    note(compare_results(tables_.on_device<ResultPiece>(results), result_pieces_.size(),
                         staged_.on_device(), device_flags_ + kMaxFlags, stream));
  }
  if (failed_ == cudaSuccess) {
    note(check_canaries(tables_.on_device<CanaryPiece>(canaries), canary_pieces_.size(),
                        device_flags_ + 2 * kMaxFlags, stream));
  }
  if (failed_ == cudaSuccess)
    note(cudaMemcpyAsync(flags_, device_flags_, kFlagBytes, cudaMemcpyDeviceToHost, stream));
  if (failed_ == cudaSuccess) note(scope(0).wait());
  ++counts_.batches;
  counts_.copies += 2;
  counts_.synchronizations += scope(0).is_busy() ? 2 : 1;
  return error_of(failed_);
}

DeviceHeld CudaDevice::held(Asks asks) {
  heap_.free_separate();
  if (asks == Asks::kAllocator) return {heap_.live(), 0, 1};
  if (meter_.is_running()) return {heap_.live(), meter_.bytes(), 1};
  std::size_t available = 0, total = 0;
  if (cudaMemGetInfo(&available, &total) != cudaSuccess) return {};
  return {heap_.live(), static_cast<std::int64_t>(total - available) - blocks_.memory(),
          kDriverPiece};
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
