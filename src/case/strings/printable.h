#pragma once

#include <string>
#include <string_view>

namespace indexfuzz {

/// A path, a text from a file or a kernel's message, made safe for terminals and reports: control
/// characters and bytes that are not valid UTF-8 are escaped, as "\x0A".
std::string printable(std::string_view text);

/// The longest prefix of at most `bytes` bytes that does not end within a UTF-8 character.
std::string_view beginning(std::string_view text, std::size_t bytes);

}  // namespace indexfuzz
