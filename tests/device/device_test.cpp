// A GPU's memory as a worker uses it: the busy stream, slices that lie far apart, what is kept.

#include "run/device/device.h"

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "case/far_slices.h"
#include "run/device/device_flags.h"

namespace indexfuzz {
namespace {

/// One for all tests: it makes itself PyTorch's allocator.
Device* opened() {
  static Device* const device = [] {
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    auto path = here / "libindexfuzz_cuda.so";
    if (!std::filesystem::exists(path)) path = here / "../lib/indexfuzz/libindexfuzz_cuda.so";
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    EXPECT_NE(library, nullptr) << dlerror();
    const auto open = reinterpret_cast<OpenDevice>(dlsym(library, kOpenDeviceSymbol));
    DeviceError error;
    Device* const made = open(0, std::int64_t{2} << 30, error);
    EXPECT_EQ(error.text, "");
    return made;
  }();
  return device;
}

std::vector<std::byte> counted(std::size_t bytes) {
  std::vector<std::byte> values(bytes);
  for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<std::byte>(i + 1);
  return values;
}

/// What lies there now, read without waiting for any stream but the one given.
std::vector<std::byte> read(const std::byte* address, std::size_t bytes, cudaStream_t stream) {
  std::vector<std::byte> seen(bytes);
  EXPECT_EQ(cudaMemcpyAsync(seen.data(), address, bytes, cudaMemcpyDeviceToHost, stream),
            cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  return seen;
}

cudaStream_t other_stream() {
  static const cudaStream_t stream = [] {
    cudaStream_t made = nullptr;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
  }();
  return stream;
}

class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (c10::cuda::device_count() == 0) GTEST_SKIP() << "skipped: no CUDA device";
    device_ = opened();
    ASSERT_NE(device_, nullptr);
  }

  void begin_batch(const GpuSettings& settings, int lanes = 1) {
    staged_bytes_ = 0;
    device_->begin(staged().data(), settings, {std::chrono::microseconds(200), false}, lanes);
  }
  /// With its bytes where a device takes them from.
  DeviceBlock staged(DeviceBlock block) {
    for (const std::byte** const bytes : {&block.extent, &block.image}) {
      std::byte* const copy = staged().data() + staged_bytes_;
      std::copy_n(*bytes, block.extent_bytes, copy);
      *bytes = copy;
      staged_bytes_ += static_cast<std::size_t>(block.extent_bytes + 15) / 16 * 16;
    }
    return block;
  }

  /// A batch of one block, before its call.
  std::byte* begin(const GpuSettings& settings, DeviceBlock block) {
    begin_batch(settings);
    block = staged(block);
    std::byte* const address = device_->place(block);
    EXPECT_NE(address, nullptr);
    EXPECT_EQ(device_->upload(Waits::kHostToo).text, "");
    device_->before_call(0, 0, 0, 1);
    return address;
  }
  /// The flags of the block at the end of the batch.
  std::uint32_t finish() {
    EXPECT_EQ(device_->finish().text, "");
    return device_->block_flags().front();
  }

  /// The extent of the batch's first block.
  static const std::byte* first_staged() { return staged().data(); }

  Device* device_ = nullptr;

 private:
  static std::vector<std::byte>& staged() {
    static std::vector<std::byte> bytes(std::size_t{8} << 20);
    return bytes;
  }
  std::size_t staged_bytes_ = 0;
};

DeviceBlock block_of(const std::vector<std::byte>& before, const std::vector<std::byte>& after) {
  DeviceBlock block;
  block.extent = before.data();
  block.image = after.data();
  block.extent_bytes = static_cast<std::int64_t>(before.size());
  return block;
}

constexpr GpuSettings kBusy{true, false, false};

TEST_F(OnDevice, WhoDoesNotWaitForTheBusyStreamComesTooEarly) {
  const std::vector<std::byte> values = counted(64);
  for (const bool zeros : {false, true}) {
    DeviceBlock block = block_of(values, values);
    block.zeros_while_pending = zeros;
    // What a first batch loads takes its time.
    begin(kBusy, block);
    device_->after_call(0, -1);
    finish();
    std::byte* const address = begin(kBusy, block);
    const cudaStream_t current = c10::cuda::getCurrentCUDAStream();
    EXPECT_NE(current, cudaStream_t{nullptr});
    EXPECT_EQ(read(address, 64, cudaStreamLegacy),
              std::vector<std::byte>(64, zeros ? std::byte{0} : kCanary));
    EXPECT_EQ(read(address, 64, current), values);
    device_->after_call(0, -1);
    EXPECT_EQ(finish(), 0u);
    EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), c10::cuda::getDefaultCUDAStream());
  }
}

TEST_F(OnDevice, AResultThatComesLateIsNotOneThatIsWrong) {
  const std::vector<std::byte> before = counted(64), after(64, std::byte{7});
  std::byte* address = begin(kBusy, block_of(before, after));
  device_->after_call(0, 0);
  // The comparison behind the call has been made.
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(address, after.data(), 64, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(finish(), kDeviceEarly);

  address = begin(kBusy, block_of(before, after));
  const cudaStream_t current = c10::cuda::getCurrentCUDAStream();
  ASSERT_EQ(cudaMemcpyAsync(address, after.data(), 64, cudaMemcpyHostToDevice, current),
            cudaSuccess);
  device_->after_call(0, 0);
  EXPECT_EQ(finish(), 0u);

  begin(kBusy, block_of(before, after));
  device_->after_call(0, 0);
  EXPECT_EQ(finish(), kDeviceEarly | kDeviceValue);
}

TEST_F(OnDevice, MemoryThatACallGivesBackIsWrittenOverAtOnce) {
  const std::vector<std::byte> values = counted(64);
  for (const bool kept : {false, true}) {
    begin(kBusy, block_of(values, values));
    const cudaStream_t current = c10::cuda::getCurrentCUDAStream();
    std::byte* address = nullptr;
    {
      const c10::DataPtr memory = device_->allocator()->allocate(64);
      address = static_cast<std::byte*>(memory.get());
      ASSERT_EQ(cudaMemcpyAsync(address, values.data(), 64, cudaMemcpyHostToDevice, current),
                cudaSuccess);
      if (kept) {
        c10::cuda::CUDACachingAllocator::recordStream(
            memory, c10::cuda::getStreamFromExternal(other_stream(), 0));
      }
    }
    EXPECT_EQ(read(address, 64, current), kept ? values : std::vector<std::byte>(64, kSmallCanary));
    device_->after_call(0, -1);
    finish();
  }
}

TEST_F(OnDevice, ATableMayBeReadAndWrittenFromItsFirstElementOn) {
  const std::vector<std::byte> values = counted(64);
  for (const std::int64_t bytes_in_front : {std::int64_t{3} << 30, std::int64_t{16} << 32}) {
    DeviceBlock block = block_of(values, values);
    block.flush_left = true;
    block.gap_bytes = 16;
    block.bytes_in_front = bytes_in_front;
    std::byte* const address = begin({}, block);
    EXPECT_EQ(cudaMemset(address - bytes_in_front, 1, 64), cudaSuccess);
    EXPECT_EQ(read(address - bytes_in_front, 64, cudaStreamLegacy),
              std::vector<std::byte>(64, std::byte{1}));
    EXPECT_EQ(read(address, 64, cudaStreamLegacy), values);
    device_->after_call(0, -1);
    EXPECT_EQ(finish(), 0u);
    // Beside its last slices nothing may be written.
    begin({}, block);
    EXPECT_EQ(cudaMemset(address + 64, 1, 1), cudaSuccess);
    device_->after_call(0, -1);
    EXPECT_NE(finish(), 0u);
  }
}

/// Three slices of 24 bytes, which lie 40 bytes apart on the host.
class FarBlock : public OnDevice {
 protected:
  FarBlock() : values_(counted(2 * 40 + 24)), after_(values_) {}

  std::byte* place(std::int64_t item, std::int64_t gap) {
    DeviceBlock block = block_of(values_, after_);
    block.far = {3, 40, 24, kFarStride * item};
    block.gap_bytes = gap;
    std::byte* const address = begin({}, block);
    device_->after_call(0, 0);
    return address;
  }

  std::vector<std::byte> values_, after_;
};

TEST_F(FarBlock, EachSliceLiesWhereTheStrideSays) {
  for (const std::int64_t item : {1, 2, 4, 8, 16}) {
    for (const std::int64_t gap : {0, 48}) {
      const std::byte* const address = place(item, gap);
      for (std::int64_t slice = 0; slice < 3; ++slice) {
        const auto from = values_.begin() + slice * 40;
        EXPECT_EQ(read(address + slice * kFarStride * item, 24, cudaStreamLegacy),
                  std::vector<std::byte>(from, from + 24));
      }
      EXPECT_EQ(finish(), 0u);
    }
  }
}

TEST_F(FarBlock, WhatIsWrittenInEachSliceAndBesideItIsSeen) {
  const std::byte other{0x55};
  for (std::int64_t slice = 0; slice < 3; ++slice) {
    std::byte* address = place(4, 0);
    ASSERT_EQ(cudaMemcpy(address + slice * kFarStride * 4 + 23, &other, 1, cudaMemcpyHostToDevice),
              cudaSuccess);
    EXPECT_EQ(finish(), kDeviceValue);
    address = place(4, 0);
    ASSERT_EQ(cudaMemcpy(address + slice * kFarStride * 4 + 24, &other, 1, cudaMemcpyHostToDevice),
              cudaSuccess);
    EXPECT_EQ(finish(), kDeviceCanary);
    address = place(4, 48);
    ASSERT_EQ(cudaMemcpy(address + slice * kFarStride * 4 - 1, &other, 1, cudaMemcpyHostToDevice),
              cudaSuccess);
    EXPECT_EQ(finish(), kDeviceCanary);
  }
}

TEST_F(FarBlock, ABatchHoldsSeveralAndIsThenFull) {
  begin_batch({});
  DeviceBlock block = staged(block_of(values_, after_));
  block.far = {3, 40, 24, kFarStride};
  std::vector<std::byte*> places;
  while (std::byte* const address = device_->place(block)) places.push_back(address);
  EXPECT_GE(places.size(), 4u);
  EXPECT_LE(places.size(), 64u);
  std::ranges::sort(places);
  EXPECT_EQ(std::ranges::adjacent_find(places), places.end());
  EXPECT_EQ(device_->upload(Waits::kHostToo).text, "");
  EXPECT_EQ(device_->finish().text, "");
  for (const std::uint32_t flags : device_->block_flags()) EXPECT_EQ(flags, 0u);
}

TEST_F(OnDevice, WhatIsKeptIsCounted) {
  const std::vector<std::byte> values = counted(64);
  begin({}, block_of(values, values));
  const std::int64_t before = device_->held(Asks::kDriver).allocations;
  c10::DataPtr memory = device_->allocator()->allocate(64);
  EXPECT_EQ(device_->held(Asks::kDriver).allocations, before + 1);
  memory.clear();
  EXPECT_EQ(device_->held(Asks::kDriver).allocations, before);
  device_->after_call(0, -1);
  finish();

  device_->meter(true);
  const DeviceHeld empty = device_->held(Asks::kDriver);
  if (empty.piece != 1) GTEST_SKIP() << "skipped: no CUPTI";
  void* taken = nullptr;
  ASSERT_EQ(cudaMalloc(&taken, 300), cudaSuccess);
  EXPECT_GE(device_->held(Asks::kDriver).bytes, empty.bytes + 300);
  ASSERT_EQ(cudaFree(taken), cudaSuccess);
  EXPECT_EQ(device_->held(Asks::kDriver).bytes, empty.bytes);
  device_->meter(false);
  EXPECT_GT(device_->held(Asks::kDriver).piece, 1);
}

TEST_F(OnDevice, MoreIsFetchedThanABufferHolds) {
  constexpr std::size_t kBytes = std::size_t{60} << 20;
  std::vector<std::byte> there(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) there[i] = static_cast<std::byte>(i % 251);
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, kBytes), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(memory, there.data(), kBytes, cudaMemcpyHostToDevice), cudaSuccess);
  const auto* const from = static_cast<const std::byte*>(memory);
  std::vector<std::byte> few(7), most(kBytes - 3), last(1);
  const std::vector<DeviceCopy> copies{{from + 5, few.data(), 7},
                                       {from + 3, most.data(), kBytes - 3},
                                       {from, nullptr, 0},
                                       {from + kBytes - 1, last.data(), 1}};
  EXPECT_EQ(device_->fetch(copies).text, "");
  EXPECT_TRUE(std::equal(few.begin(), few.end(), there.begin() + 5));
  EXPECT_TRUE(std::equal(most.begin(), most.end(), there.begin() + 3));
  EXPECT_EQ(last.front(), there.back());
  ASSERT_EQ(cudaFree(memory), cudaSuccess);
}

/// A batch of one block a lane, and a call on each by a thread of its own.
class OnLanes : public OnDevice {
 protected:
  static constexpr int kLanes = 3;

  /// Each thread calls f(lane, its block's address) on its lane's stream.
  template <typename F>
  void call_on_lanes(const GpuSettings& settings, const std::vector<std::byte>& before,
                     const std::vector<std::byte>& after, const F& f) {
    begin_batch(settings, kLanes);
    std::vector<std::byte*> addresses;
    for (int lane = 0; lane < kLanes; ++lane)
      addresses.push_back(device_->place(staged(block_of(before, after))));
    EXPECT_EQ(device_->upload(Waits::kStreams).text, "");
    const auto call = [&](int lane) {
      device_->before_call(lane, lane, lane, lane + 1);
      f(lane, addresses[static_cast<std::size_t>(lane)]);
      device_->after_call(lane, lane);
    };
    std::vector<std::jthread> threads;
    for (int lane = 1; lane < kLanes; ++lane) threads.emplace_back(call, lane);
    call(0);
  }
};

TEST_F(OnLanes, EachHasAStreamOfItsOwnAndTheBatchEndsBehindThemAll) {
  // What takes a while: the bytes that count are written last.
  constexpr std::size_t kMany = std::size_t{64} << 20;
  void* far_away = nullptr;
  ASSERT_EQ(cudaMalloc(&far_away, kMany), cudaSuccess);
  const std::vector<std::byte> before = counted(64), after(64, std::byte{7});
  for (const GpuSettings& settings : {GpuSettings{}, kBusy}) {
    std::vector<cudaStream_t> streams(kLanes);
    call_on_lanes(settings, before, after, [&](int lane, std::byte* address) {
      const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
      streams[static_cast<std::size_t>(lane)] = stream;
      for (int i = 0; i < 20; ++i) cudaMemsetAsync(far_away, i, kMany, stream);
      cudaMemsetAsync(address, 7, 64, stream);
    });
    std::ranges::sort(streams);
    EXPECT_EQ(std::ranges::adjacent_find(streams), streams.end());
    EXPECT_EQ(std::ranges::count(streams, nullptr), settings.side_stream ? 0 : 1);
    EXPECT_EQ(device_->finish().text, "");
    EXPECT_EQ(device_->block_flags().size(), static_cast<std::size_t>(kLanes));
    for (const std::uint32_t flags : device_->block_flags()) EXPECT_EQ(flags, 0u);
  }
  cudaFree(far_away);
}

TEST_F(OnLanes, WhatOneAllocatesIsItsOwn) {
  const std::vector<std::byte> values = counted(64);
  for (int writes_beyond = 0; writes_beyond < kLanes; ++writes_beyond) {
    std::vector<c10::DataPtr> results(kLanes);
    std::vector<int> compared(kLanes);
    call_on_lanes({}, values, values, [&](int lane, std::byte* address) {
      const auto at = static_cast<std::size_t>(lane);
      results[at] = device_->allocator()->allocate(64);
      auto* const result = static_cast<std::byte*>(results[at].get());
      const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
      cudaMemcpyAsync(result, address, 64, cudaMemcpyDeviceToDevice, stream);
      if (lane == writes_beyond) cudaMemsetAsync(result + 64, 0, 1, stream);
      // Its right elements are the block's, and those of the lane after it are wrong.
      if (lane == (writes_beyond + 1) % kLanes) cudaMemsetAsync(result + 3, 0, 1, stream);
      compared[at] = device_->compare(lane, {result, Dims{64}, Dims{1}, 1, first_staged()});
    });
    EXPECT_EQ(device_->finish().text, "");
    for (int lane = 0; lane < kLanes; ++lane) {
      EXPECT_EQ(device_->damaged(lane), lane == writes_beyond) << lane;
      const auto number = static_cast<std::size_t>(compared[static_cast<std::size_t>(lane)]);
      EXPECT_EQ(device_->result_flags()[number] != 0, lane == (writes_beyond + 1) % kLanes) << lane;
    }
  }
}

TEST_F(OnDevice, AnotherDeviceIsCurrentDuringCalls) {
  if (c10::cuda::device_count() < 2) GTEST_SKIP() << "skipped: needs two CUDA devices";
  const std::vector<std::byte> values = counted(64);
  begin({false, false, true}, block_of(values, values));
  EXPECT_EQ(c10::cuda::current_device(), 1);
  device_->after_call(0, -1);
  EXPECT_EQ(c10::cuda::current_device(), 0);
  EXPECT_EQ(finish(), 0u);
}

}  // namespace
}  // namespace indexfuzz
