#pragma once
// The libraries that register a user's kernels.

#include <string>

namespace indexfuzz {

/// Version of the LibTorch in this process: "2.11.0".
std::string torch_version();

/// Empty, or one sentence if the LibTorch in this process is not the one built against.
std::string torch_mismatch();

/// Loads a library, or a Python file, permanently. Empty, or one sentence: what was found, what was
/// expected, what to do.
std::string load_library(const std::string& path);

}  // namespace indexfuzz
