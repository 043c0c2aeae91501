#pragma once
// What a Python extension takes for granted, since every Python process with torch has it:
// libpython and libtorch_python. setup.py with torch.utils.cpp_extension builds such libraries,
// also of operators that are registered by TORCH_LIBRARY and need no Python.

#include <string>
#include <string_view>
#include <vector>

namespace indexfuzz {

/// Whether the loader misses Python's libraries or their symbols. `error`: what it says.
bool misses_python(std::string_view error);

/// Loads both for good, those of the Python that this LibTorch is installed for. Empty, or the part
/// of a sentence that says which one cannot be had, and what to do.
std::string load_python_libraries();

/// The paths of those that were loaded, in their order.
const std::vector<std::string>& python_libraries();

/// The folder that this LibTorch's Python package lies in, and the program of that Python; empty
/// where there is none.
std::string python_packages();
std::string python_program();

}  // namespace indexfuzz
