#pragma once
// The compiler and the Python that run the stand-alone programs of findings.

#include <filesystem>
#include <string>
#include <vector>

namespace indexfuzz {

/// The program that is run under this name: a path, or a name to look up in PATH. Empty if none is.
std::string find_program(const std::string& name);
bool in_path(const std::string& program);  ///< whether there is one

/// The packages of NVIDIA's that a wheel of torch needs, beside it; none for another LibTorch.
std::vector<std::filesystem::path> nvidia_packages(const std::filesystem::path& torch_libraries);

/// The command that compiles a stand-alone program against the LibTorch in use; empty if there is
/// no compiler or no LibTorch with headers.
std::vector<std::string> compile_command(const std::filesystem::path& source,
                                         const std::filesystem::path& program);

/// The Python that runs repro.py if the user names none; may be empty.
std::string default_python();

/// The command by which a Python prints the version of its torch as its last line.
std::vector<std::string> torch_version_command(const std::string& python);

}  // namespace indexfuzz
