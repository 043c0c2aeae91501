#pragma once
// Pieces of program text, for programs in Python and in C++.

#include <string>
#include <string_view>

#include "case/dims.h"

namespace indexfuzz {

/// The text up to its first zero byte on one line of printable ASCII: newlines become blanks, other
/// bytes question marks.
std::string one_line(std::string_view text);
/// A double-quoted string literal that Python and C++ both read.
std::string in_quotes(std::string_view text);
/// A Python expression for a path, whatever its bytes are. Needs `import os`.
std::string python_path(std::string_view path);

/// "(3, 4)", "(3,)", "()".
std::string python_tuple(const Dims& dims);
/// The index of a tensor's leading part of this shape: ":2, :3"; "..." without dimensions.
std::string python_part(const Dims& shape);
/// The slice of `count` elements from `begin` on: ":8", "4:12".
std::string python_slice(std::int64_t begin, std::int64_t count);

}  // namespace indexfuzz
