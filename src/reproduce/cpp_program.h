#pragma once
// The parts of the C++ program, for files that call it by another name than `main`.

#include <string>
#include <string_view>

#include "reproduce/reproduction.h"

namespace indexfuzz {

struct CppProgram {
  std::string introduction;  ///< a comment
  std::string includes;
  /// May lie in a namespace. The last one is `int ENTRY(int argc, char** argv)`, which makes the
  /// call in a child and returns what a reproducer exits with.
  /// - Libraries to load instead of the case's follow argv[0].
  /// - It may run the words of `argv`, up to its null pointer, as a command under
  ///   compute-sanitizer; that command must exit with what ENTRY returns in it.
  std::string definitions;
};
/// `entry`: the name of the last function.
CppProgram cpp_parts(const Reproduction& reproduction, std::string_view entry);

/// The comment that says how to compile `name`.cpp. `libraries`: to link besides LibTorch's, with a
/// blank before each.
std::string how_to_compile(const Reproduction& reproduction, std::string_view name,
                           std::string_view libraries);

}  // namespace indexfuzz
