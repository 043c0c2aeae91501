#pragma once

#include <string>
#include <string_view>

namespace indexfuzz {

/// A text as it stands in HTML and XML, between tags and in an attribute. XML has no way to write
/// most control characters: they become blanks.
std::string escaped(std::string_view text);

}  // namespace indexfuzz
