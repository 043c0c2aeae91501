#pragma once
// toml++ bounds how deep values nest, but not how many parts a key has, and it frees a table of
// tables by recursion: a hostile key of 100,000 parts ends the process.

#include <cstddef>
#include <string_view>

namespace indexfuzz {

/// How many dots a TOML text has outside its strings and comments: a bound on the parts of its keys
/// and on how deep these nest its tables. Takes any bytes.
std::size_t dots_outside_strings(std::string_view text);

}  // namespace indexfuzz
