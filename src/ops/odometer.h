#pragma once
// Walks the coordinates of a shape in row-major order and keeps an offset under given strides.

#include "case/dims.h"

namespace indexfuzz {

class Odometer {
 public:
  /// `strides` has the rank of `shape`; the shape must not be empty of elements.
  Odometer(const Dims& shape, const Dims& strides)
      : shape_(shape), strides_(strides), at_(shape.size(), 0) {}

  std::int64_t offset() const { return offset_; }
  const Dims& coordinates() const { return at_; }
  void next() {
    for (std::size_t d = shape_.size(); d-- > 0;) {
      offset_ += strides_[d];
      if (++at_[d] < shape_[d]) return;
      offset_ -= shape_[d] * strides_[d];
      at_[d] = 0;
    }
  }

 private:
  const Dims& shape_;
  const Dims& strides_;
  Dims at_;
  std::int64_t offset_ = 0;
};

}  // namespace indexfuzz
