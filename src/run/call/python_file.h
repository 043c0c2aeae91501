#pragma once
// Kernels that are written in Python: a file that registers operators as it is run, as Triton
// kernels are (its custom_op, or its Library), or by loading extensions of its own.

#include <string>

namespace indexfuzz {

/// Imports the file, for good, in an interpreter inside this process: that of the Python which this
/// LibTorch is installed for, made with the first file. Its neighbours may be imported by it. No
/// thread holds the interpreter afterwards, so that children may use it, too. Empty, or one
/// sentence: what was found, what was expected, what to do.
std::string import_python_file(const std::string& path);

}  // namespace indexfuzz
