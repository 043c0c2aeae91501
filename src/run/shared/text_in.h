#pragma once

#include <cstddef>
#include <cstring>
#include <string>

namespace indexfuzz {

/// The text in a field of shared memory. A kernel may have written over its zero at the end.
template <std::size_t N>
std::string text_in(const char (&field)[N]) {
  return {field, strnlen(field, N)};
}

}  // namespace indexfuzz
