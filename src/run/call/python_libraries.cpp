#include "run/call/python_libraries.h"

#include <dlfcn.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>

// Exported by every LibTorch since 2.3.
extern "C" std::uint64_t aoti_torch_abi_version();

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> loaded;

/// The folder of the LibTorch in this process.
fs::path torch_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&aoti_torch_abi_version), &info) == 0) return {};
  return fs::path(info.dli_fname).parent_path();
}

/// "python3.11" in …/lib/python3.11/site-packages/torch/lib; empty if there is no such folder.
fs::path versioned_folder(const fs::path& torch) {
  for (fs::path folder = torch; folder.has_relative_path(); folder = folder.parent_path()) {
    const std::string name = folder.filename();
    if (name.starts_with("python3.") && name.size() > 8 && std::isdigit(name[8]) != 0)
      return folder;
  }
  return {};
}

/// The Python from which an environment was made: pyvenv.cfg has "home = FOLDER/bin".
fs::path base_of(const fs::path& environment) {
  std::ifstream config(environment / "pyvenv.cfg");
  for (std::string line; std::getline(config, line);) {
    const std::size_t value = line.find_first_not_of(' ', line.find('=') + 1);
    if (line.starts_with("home") && value != std::string::npos)
      return fs::path(line.substr(value)).parent_path();
  }
  return {};
}

/// The Python environment, or the system's prefix, that has such a folder in its lib.
fs::path environment_of(const fs::path& versioned) {
  return versioned.parent_path().parent_path();
}

bool load(const fs::path& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return false;
  loaded.push_back(path);
  return true;
}

bool load_libpython(const fs::path& versioned) {
  const std::string name = "lib" + versioned.filename().string() + ".so";
  const fs::path environment = environment_of(versioned);
  for (const fs::path& prefix : {environment, base_of(environment)}) {
    if (prefix.empty()) continue;
    for (const char* version : {".1.0", ""}) {
      if (load(prefix / "lib" / (name + version))) return true;
    }
  }
  return load(name + ".1.0");  // the system's
}

}  // namespace

bool misses_python(std::string_view error) {
  constexpr std::array<std::string_view, 5> kSigns{"libpython", "libtorch_python", "symbol: Py",
                                                   "symbol: _Py", "symbol: THP"};
  for (const std::string_view sign : kSigns) {
    if (error.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

std::string load_python_libraries() {
  if (!loaded.empty()) return {};
  const fs::path torch = torch_folder(), versioned = versioned_folder(torch);
  if (versioned.empty()) return "this LibTorch is not installed for any Python";
  if (!load_libpython(versioned)) {
    const std::string name = versioned.filename();
    return "there is no lib" + name + ".so.1.0; install it (Debian and Ubuntu: lib" + name + ")";
  }
  if (!load(torch / "libtorch_python.so")) {
    const char* const error = dlerror();
    loaded.clear();
    return "libtorch_python.so cannot be loaded: " +
           std::string(error == nullptr ? "unknown error" : error);
  }
  return {};
}

const std::vector<std::string>& python_libraries() {
  return loaded;
}

std::string python_packages() {
  return torch_folder().parent_path().parent_path();
}

std::string python_program() {
  const fs::path versioned = versioned_folder(torch_folder());
  for (const fs::path& prefix : {environment_of(versioned), fs::path("/usr")}) {
    const fs::path program = prefix / "bin" / versioned.filename();
    std::error_code error;
    if (!versioned.empty() && fs::exists(program, error)) return program;
  }
  return {};
}

}  // namespace indexfuzz
