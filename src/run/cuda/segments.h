#pragma once
// Places for blocks in device memory between unmapped addresses.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace indexfuzz::cuda {

/// A mapping of `bytes` with unmapped addresses before and after it.
struct Segment {
  unsigned char* begin = nullptr;
  std::int64_t bytes = 0;
};

/// Owns segments, mapped when first needed and reused for every batch: mapping one costs about 33
/// µs. Most serve two blocks, one against each end.
class Segments {
 public:
  /// Maps at most `memory` bytes.
  Segments(int device, std::int64_t memory) : device_(device), most_(memory), left_(memory) {}
  Segments(const Segments&) = delete;
  Segments& operator=(const Segments&) = delete;

  std::int64_t memory() const { return most_ - left_; }
  /// All places are free again.
  void reset();
  /// A segment at whose beginning (`left`) or end a block of this many bytes may lie; null if
  /// memory is used up or the block is too large.
  const Segment* take(std::int64_t bytes, bool left);

 private:
  const Segment* map(std::int64_t bytes);

  int device_;
  std::int64_t most_, left_;
  std::vector<std::unique_ptr<Segment>> small_;
  std::vector<std::unique_ptr<Segment>> large_;  ///< one block each
  std::size_t small_used_[2] = {0, 0};           ///< by side
  std::size_t large_used_ = 0;
};

}  // namespace indexfuzz::cuda
