#pragma once
// A GPU's memory as a worker uses it, batch by batch: operands between guard pages and canaries,
// compared on the device with what they must hold. Implemented in run/cuda, a library of its own,
// so that a worker also runs where there is no CUDA.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "case/dims.h"
#include "case/far_slices.h"
#include "case/gpu_settings.h"
#include "memory/region.h"
#include "run/device/contributor.h"
#include "run/device/device_flags.h"

namespace c10 {
struct Allocator;
}

namespace indexfuzz {

/// One operand of one call as it must lie on the device. All addresses are the host's, in the
/// staged bytes.
struct DeviceBlock {
  const std::byte* extent = nullptr;  ///< what the view holds before the call, gaps included
  const std::byte* image = nullptr;   ///< what it holds after the call
  std::int64_t front_bytes = 0;       ///< see PlacedOperand
  std::int64_t extent_bytes = 0;
  std::int64_t back_bytes = 0;
  bool flush_left = false;  ///< against the guard page in front of it, else the one after it
  FarPlaces far;
  std::int64_t bytes_in_front = 0;  ///< all that lies in front of it in a table, else 0
  /// Until a busy stream has written the block, it holds zeros instead of canaries. For an index:
  /// as positions, canaries would do harm.
  bool zeros_while_pending = false;
  std::int64_t gap_bytes = 0;  ///< between the guard page in front of it and the block
  std::byte canary = kCanary;  ///< what lies around it
};

/// A result that a kernel allocated.
struct DeviceResult {
  const std::byte* data = nullptr;  ///< of the device; every element lies in the result's storage
  Dims shape;
  Dims strides;  ///< in elements
  std::int64_t item_size = 0;
  const std::byte* expected = nullptr;  ///< dense, in the staged bytes
};

/// A block or a result in which some elements have several right values.
struct DeviceRivals {
  const std::byte* data = nullptr;  ///< of the device
  Dims shape;
  Dims strides;           ///< in elements
  Dims expected_strides;  ///< of `expected`
  std::int64_t item_size = 0;
  const std::byte* expected = nullptr;        ///< an image or dense elements, in the staged bytes
  std::span<const Contributor> contributors;  ///< in the staged bytes
};

struct DeviceError {
  int code = 0;      ///< cudaError_t; 0: none
  std::string text;  ///< "an illegal memory access was encountered"
};

/// A piece of the device's memory to be copied to the host.
struct DeviceCopy {
  const std::byte* from;
  std::byte* to;
  std::int64_t bytes;
};

/// How much of the device's memory is held.
struct DeviceHeld {
  std::int64_t allocations = 0;  ///< from `allocator()`, not given back
  /// With a meter: what this process has taken since the meter was started. Without: what all
  /// processes hold, which grows by `piece` bytes at a time. 0 if only the allocator was asked.
  std::int64_t bytes = 0;
  std::int64_t piece = 1;
};

/// Who is asked what a device holds. The driver's answer may take milliseconds while other
/// processes use the GPU; the allocator knows only its own allocations.
enum class Asks : std::uint8_t { kAllocator, kDriver };

/// Who waits for the upload of a batch's operands: only the streams, or the host too. The host must
/// wait before calls of custom kernels, whose own streams may not wait for the current one.
enum class Waits : std::uint8_t { kStreams, kHostToo };

struct DeviceCounts {
  std::uint64_t batches = 0;
  std::uint64_t copies = 0;
  std::uint64_t synchronizations = 0;
};

/// For calls on a busy stream.
struct BusyStreams {
  std::chrono::microseconds at_a_time;
  /// Keeps the streams of PyTorch's pool busy, too, a little longer, unless GpuSettings wants them
  /// idle: a kernel that hands work to one of them and goes on without waiting for it is then too
  /// early, which shows. PyTorch's own operators use none of them.
  bool pool_too;
};

/// Owns a context, its memory and the allocator of its kernels' results. The steps of a batch are:
/// begin, place and stage, upload, calls, admit and compare, finish. On a busy stream a call's
/// operands are written right before it, after a wait. After an error of the device nothing else
/// works in this process.
/// Not thread-safe, except that each lane may have a thread for calls and what belongs to them:
/// before_call, after_call, admit, compare and take_error. Lane 0 uses PyTorch's default stream, or
/// a busy one of its own; the other lanes always have streams of their own.
class Device {
 public:
  virtual ~Device() = default;

  /// The allocator of results, and of an `out` that grows.
  virtual c10::Allocator* allocator() = 0;

  /// Begins a batch and forgets the previous one, whose results must have been freed. Until
  /// finish(), what the batch sends to the device lies in the kStagedBytes bytes from `staged` on.
  /// Its calls are made under `settings`, on at most `lanes` lanes.
  virtual void begin(const std::byte* staged, const GpuSettings& settings, BusyStreams busy,
                     int lanes) = 0;
  /// To be called before memory that was `staged` is unmapped.
  virtual void unpin() = 0;
  /// Returns the device's address of the extent; null if the batch is full.
  virtual std::byte* place(const DeviceBlock& block) = 0;
  /// Takes along staged bytes that belong to no block.
  virtual void stage(const std::byte* bytes, std::int64_t count) = 0;
  /// Sends all that was placed and staged, in one copy unless it is much; then the table of places.
  virtual DeviceError upload(Waits waits) = 0;
  /// Sets the owner of the next allocations, for damaged(); the call's operands are the blocks
  /// [first, end).
  virtual void before_call(int lane, int owner, int first, int end) = 0;
  /// `written`: the block that the call writes, or -1.
  virtual void after_call(int lane, int written) = 0;
  /// For each element that has contributors and holds the value of one of them: makes that value
  /// the expected one.
  virtual void admit(const DeviceRivals& rivals) = 0;
  /// Adds a result to those that finish() compares; returns its index in result_flags().
  virtual int compare(int lane, const DeviceResult& result) = 0;
  /// An error that calls left behind without reporting it; each is returned once. Not one after
  /// which nothing works.
  virtual DeviceError take_error() = 0;
  /// Compares everything and waits for all work.
  virtual DeviceError finish() = 0;
  /// DeviceFlags of the blocks, in the order of place(), and of the results, in that of compare().
  virtual std::span<const std::uint32_t> block_flags() const = 0;
  virtual std::span<const std::uint32_t> result_flags() const = 0;
  /// Whether bytes around an allocation made for this owner were overwritten.
  virtual bool damaged(int owner) const = 0;
  /// Copies to the host and waits.
  virtual DeviceError fetch(std::span<const DeviceCopy> copies) = 0;

  /// Only between batches, when all results have been freed.
  virtual DeviceHeld held(Asks asks) = 0;
  /// Starts or stops a meter for held(). Returns whether one runs then.
  virtual bool meter(bool on) = 0;
  /// What this process has taken since the meter was started, even amid a batch; 0 without a meter.
  virtual std::int64_t metered() const = 0;
  virtual DeviceCounts counts() const = 0;
};

/// Opens GPU `index`; null and an error if that fails. `memory`: the most bytes that it may take;
/// 0: a quarter of what is free.
using OpenDevice = Device* (*)(int index, std::int64_t memory, DeviceError& error);
inline constexpr const char* kOpenDeviceSymbol = "indexfuzz_open_device";
/// Allocates some memory of GPU `index`, writes it, waits for that and frees it.
using TryDevice = void (*)(int index, DeviceError& error);
inline constexpr const char* kTryDeviceSymbol = "indexfuzz_try_device";

}  // namespace indexfuzz
