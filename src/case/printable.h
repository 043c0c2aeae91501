#pragma once

#include <string>
#include <string_view>

namespace indexfuzz {

/// A path, a text of a file, or what a kernel says, as it may be written to terminals and into
/// reports: control characters and bytes that are no UTF-8 stand as "\x0A".
std::string printable(std::string_view text);

/// The longest beginning of at most `bytes` that ends with a whole character.
std::string_view beginning(std::string_view text, std::size_t bytes);

}  // namespace indexfuzz
