#pragma once
// Walks the coordinates of a shape in row-major order and keeps an offset under given strides.

#include "case/dims.h"

namespace indexfuzz {

class Odometer {
 public:
  /// `strides` has the rank of `shape`, in which no size is 0; both must outlive the walk.
  Odometer(const Dims& shape, const Dims& strides)
      : shape_(shape),
        strides_(strides),
        inner_size_(shape.empty() ? 1 : shape.back()),
        inner_stride_(shape.empty() ? 0 : strides.back()) {}

  std::int64_t offset() const { return offset_; }
  void next() {
    offset_ += inner_stride_;
    if (++inner_ == inner_size_) carry();
  }

 private:
  void carry() {
    offset_ -= inner_size_ * inner_stride_;
    inner_ = 0;
    if (at_.empty()) at_.resize(shape_.size(), 0);
    for (std::size_t d = shape_.size(); d-- > 1;) {
      offset_ += strides_[d - 1];
      if (++at_[d - 1] < shape_[d - 1]) return;
      offset_ -= shape_[d - 1] * strides_[d - 1];
      at_[d - 1] = 0;
    }
  }

  const Dims& shape_;
  const Dims& strides_;
  std::int64_t inner_size_;
  std::int64_t inner_stride_;
  std::int64_t inner_ = 0;
  std::int64_t offset_ = 0;
  Dims at_;  ///< of all dimensions but the last
};

}  // namespace indexfuzz
