#pragma once
// Elements as code and as text. The code is exact: it gives the same bits, NaN payloads included.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "case/dims.h"
#include "case/dtype.h"

namespace indexfuzz {

/// A Python literal that, converted to the dtype, gives these bits; none for a NaN whose bits are
/// not those that PyTorch makes of Python's NaN.
std::optional<std::string> python_literal(Dtype dtype, const std::byte* element);

/// A Python expression for a dense tensor of the shape. `elements`: numel(shape) of them.
std::string python_values(Dtype dtype, const Dims& shape, std::span<const std::byte> elements);

/// One element for people: "-3.5", "nan (bits 0x7e01)".
std::string element_text(Dtype dtype, const std::byte* element);
/// Nested lists for people, cut off after `most` elements.
std::string values_text(Dtype dtype, const Dims& shape, std::span<const std::byte> elements,
                        std::int64_t most = 64);

/// A C++ definition `const T name[] = {…};` whose bytes are the elements, or a pointer to such
/// bytes if many elements are all equal. Without elements, one 0: no array is empty.
std::string cpp_values(std::string_view name, Dtype dtype, std::span<const std::byte> elements);

}  // namespace indexfuzz
