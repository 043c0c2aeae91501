#include "run/native/elf_functions.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace indexfuzz {
namespace {

/// Owns a read-only mapping of a whole file; empty if the file cannot be read.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0) {
      void* const address =
          mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
      if (address != MAP_FAILED)
        bytes_ = {static_cast<const char*>(address), static_cast<std::size_t>(status.st_size)};
    }
    if (fd >= 0) close(fd);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }

  /// `count` objects at an offset; empty if the file does not hold them.
  template <class T>
  std::span<const T> objects(std::uint64_t offset, std::uint64_t count) const {
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T)) return {};
    return {reinterpret_cast<const T*>(bytes_.data() + offset), static_cast<std::size_t>(count)};
  }

 private:
  std::span<const char> bytes_;
};

struct Symbols {
  std::span<const Elf64_Sym> table;
  std::span<const char> names;

  std::string_view name(const Elf64_Sym& symbol) const {
    if (symbol.st_name >= names.size()) return {};
    const char* const begin = names.data() + symbol.st_name;
    return {begin, strnlen(begin, names.size() - symbol.st_name)};
  }
};

Symbols symbols_of(const MappedFile& file) {
  const auto header = file.objects<Elf64_Ehdr>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      header[0].e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  const auto sections = file.objects<Elf64_Shdr>(header[0].e_shoff, header[0].e_shnum);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& names = sections[section.sh_link];
    return {file.objects<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym)),
            file.objects<char>(names.sh_offset, names.sh_size)};
  }
  return {};
}

struct Search {
  std::string_view file_name;
  LoadedLibrary found;
};

int look_at(dl_phdr_info* info, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  const std::string_view path = info->dlpi_name;
  if (path.substr(path.rfind('/') + 1) != search.file_name) return 0;
  LoadedLibrary& library = search.found;
  library.path = path;
  library.base = reinterpret_cast<std::uint8_t*>(info->dlpi_addr);
  for (const ElfW(Phdr) & segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    if (segment.p_memsz > library.code.size())
      library.code = {library.base + segment.p_vaddr, segment.p_memsz};
  }
  return 1;
}

}  // namespace

LoadedLibrary find_loaded_library(std::string_view file_name) {
  Search search{file_name, {}};
  dl_iterate_phdr(look_at, &search);
  return search.found;
}

ElfFunctions functions_of(const LoadedLibrary& library, bool (*keep)(std::string_view name)) {
  const MappedFile file(library.path);
  const Symbols symbols = symbols_of(file);
  if (symbols.table.empty()) return {library.path + " has no symbol table (.symtab)", {}};
  const auto begin = static_cast<std::uint64_t>(library.code.data() - library.base);
  const std::uint64_t end = begin + library.code.size();
  ElfFunctions result;
  for (const Elf64_Sym& symbol : symbols.table) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0 ||
        symbol.st_value < begin || symbol.st_value >= end || symbol.st_size > end - symbol.st_value)
      continue;
    const std::string_view name = symbols.name(symbol);
    if (!keep(name)) continue;
    result.functions.push_back(
        {std::string(name), {library.base + symbol.st_value, symbol.st_size}});
  }
  auto& functions = result.functions;
  std::ranges::stable_sort(functions, {}, [](const ElfFunction& f) { return f.code.data(); });
  const std::uint8_t* covered = nullptr;
  std::erase_if(functions, [&](const ElfFunction& f) {
    if (f.code.data() < covered) return true;
    covered = f.code.data() + f.code.size();
    return false;
  });
  return result;
}

}  // namespace indexfuzz
