#pragma once
// Copies dense elements, in logical row-major order, to and from a strided view.

#include <cstddef>

#include "case/layout.h"

namespace indexfuzz {

/// Writes numel(shape) elements of `size` bytes into the view whose first element is at `view`.
void scatter_elements(const Dims& shape, const Dims& strides, std::size_t size,
                      const std::byte* dense, std::byte* view);
/// Reads the view's elements into `dense`.
void gather_elements(const Dims& shape, const Dims& strides, std::size_t size,
                     const std::byte* view, std::byte* dense);
/// Whether the view holds exactly the dense bytes.
bool equal_elements(const Dims& shape, const Dims& strides, std::size_t size,
                    const std::byte* dense, const std::byte* view);
/// Whether the strides are those of a dense row-major tensor (dimensions of size 1 do not count).
bool is_row_major(const Dims& shape, const Dims& strides);
/// Whether two sets of strides put every element of the shape at the same place. The strides of
/// dimensions of size 1 do not count.
bool same_strides(const Dims& shape, const Dims& a, const Dims& b);

}  // namespace indexfuzz
