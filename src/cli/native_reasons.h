#pragma once
// Why campaigns leave code of LibTorch's indexing operators unreached.

#include <string_view>

namespace indexfuzz {

/// Why no campaign reaches much of this function (named as in native_names.h), according to ATen's
/// sources (2.11.0); empty if nothing is known.
std::string_view why_unreached(std::string_view function);

}  // namespace indexfuzz
