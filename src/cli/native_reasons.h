#pragma once
// Why campaigns leave code of LibTorch's indexing operators unreached.

#include <string_view>

namespace indexfuzz {

/// What is known of a function (native_names.h) of which no campaign reaches much, read in ATen's
/// sources (2.11.0); empty for all others.
std::string_view why_unreached(std::string_view function);

}  // namespace indexfuzz
