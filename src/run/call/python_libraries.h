#pragma once
// What a Python extension takes for granted, since every Python process with torch has it:
// libpython and libtorch_python. setup.py with torch.utils.cpp_extension builds such libraries,
// even for operators that are registered by TORCH_LIBRARY and need no Python.

#include <string>
#include <string_view>
#include <vector>

namespace indexfuzz {

/// Whether the loader's error says that Python's libraries or their symbols are missing.
bool misses_python(std::string_view error);

/// Loads both permanently, those of the Python for which this LibTorch is installed. Empty, or the
/// part of a sentence that says which one is missing, and what to do.
std::string load_python_libraries();

/// The paths of the libraries that were loaded, in order.
const std::vector<std::string>& python_libraries();

/// The folder that contains this LibTorch's Python package; empty if there is none.
std::string python_packages();
/// The program of that Python; empty if there is none.
std::string python_program();

}  // namespace indexfuzz
