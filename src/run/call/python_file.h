#pragma once
// Kernels written in Python: a file registers operators when it is run, as Triton kernels do (by
// custom_op or a Library), or loads extensions that do.

#include <string>

namespace indexfuzz {

/// Imports the file, permanently, in an interpreter inside this process, that of the Python for
/// which this LibTorch is installed; the first file starts it. The file may import its neighbours.
/// No thread holds the interpreter afterwards, so that children may use it too. Empty, or one
/// sentence: what was found, what was expected, what to do.
std::string import_python_file(const std::string& path);

/// Imports torch in that interpreter: much of what PyTorch says of calls without data is registered
/// in Python. Empty, or the part of a sentence that says why it cannot.
std::string import_python_torch();

}  // namespace indexfuzz
