#pragma once
// Kernels written in Python: a file registers operators when it is run, as Triton kernels do (by
// custom_op or a Library), or loads extensions that do.

#include <string>

namespace indexfuzz {

/// Imports a file, permanently, in a Python interpreter inside this process, that of the Python for
/// which this LibTorch is installed. The first call starts the interpreter. The file may import
/// modules beside it. Afterwards no thread holds the interpreter's lock, so that forked children
/// may use it too. Returns nothing, or one sentence: what was found, what was expected, what to do.
std::string import_python_file(const std::string& path);

/// Imports torch in that interpreter: many of PyTorch's meta functions are registered in Python.
/// Returns nothing, or the part of a sentence that says why it cannot.
std::string import_python_torch();

}  // namespace indexfuzz
