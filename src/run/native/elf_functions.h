#pragma once
// The functions of a loaded shared library, static ones too, from the .symtab of its file.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace indexfuzz {

/// A shared library of this process.
struct LoadedLibrary {
  std::string path;              ///< of its file; empty if no such library is loaded
  std::uint8_t* base = nullptr;  ///< what addresses in its file are relative to
  std::span<std::uint8_t> code;  ///< its largest executable segment
};

/// The loaded library whose file has this name, without folders: "libtorch_cpu.so".
LoadedLibrary find_loaded_library(std::string_view file_name);

struct ElfFunction {
  std::string name;              ///< as in the symbol table: mangled
  std::span<std::uint8_t> code;  ///< where it is mapped
};

struct ElfFunctions {
  std::string error;                   ///< one sentence if the symbols cannot be read
  std::vector<ElfFunction> functions;  ///< by ascending address, without overlap
};

/// The functions within `library.code` whose mangled name `keep` accepts. Of several at one
/// address, only the first in the table; of two that overlap, only the one that begins first.
ElfFunctions functions_of(const LoadedLibrary& library, bool (*keep)(std::string_view name));

}  // namespace indexfuzz
