#pragma once

#include <string>
#include <string_view>

namespace indexfuzz {

/// The text for HTML and XML, between tags or in a quoted attribute. Control characters become
/// blanks, since XML cannot express most of them.
std::string escaped(std::string_view text);

}  // namespace indexfuzz
