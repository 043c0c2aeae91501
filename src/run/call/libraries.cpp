#include "run/call/libraries.h"

#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <torch/csrc/api/include/torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <string_view>

#include "run/call/python_file.h"
#include "run/call/python_libraries.h"
#include "run/call/refusal.h"

// Exported by every LibTorch since 2.3; its own header includes much more than this one line.
extern "C" std::uint64_t aoti_torch_abi_version();

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

std::string version_text(std::uint64_t abi) {
  return std::to_string(abi >> 56 & 0xFF) + "." + std::to_string(abi >> 48 & 0xFF) + "." +
         std::to_string(abi >> 40 & 0xFF);
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// The symbol of "…: undefined symbol: NAME"; empty for another error.
std::string_view undefined_symbol(std::string_view error) {
  constexpr std::string_view kMark = "undefined symbol: ";
  const std::size_t at = error.find(kMark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = error.substr(at + kMark.size());
  return rest.substr(0, rest.find_first_of(" ,\n"));
}

/// Whether the loader's error says that a file is not a shared library.
bool is_no_library(std::string_view reason) {
  constexpr std::array<std::string_view, 5> kWords{"ELF", "file too short", "cannot read file data",
                                                   "ET_DYN", "cannot dynamically load"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view words) { return contains(reason, words); });
}

constexpr std::string_view kUnopened = ": cannot open shared object file";

/// The file of LibTorch's own (libtorch.so, which stands for the others) that the loader misses,
/// with the folder of the LibTorch in this process; empty if it misses something else.
std::string missed_of_torch(std::string_view error) {
  Dl_info place;
  const void* const torch = dlsym(RTLD_DEFAULT, "aoti_torch_abi_version");
  const std::size_t at = error.find(kUnopened);
  if (at == std::string_view::npos || torch == nullptr || dladdr(torch, &place) == 0) return {};
  const fs::path file = fs::path(place.dli_fname).parent_path() / error.substr(0, at);
  std::error_code ignored;
  return fs::exists(file, ignored) ? file.string() : "";
}

std::string explain(const std::string& path, std::string_view error) {
  const std::string cannot = path + " cannot be loaded: ";
  const std::string_view symbol = undefined_symbol(error);
  if (misses_python(error)) {
    return cannot + "it is an extension of another Python than " +
           fs::path(python_libraries().front()).filename().string() +
           "'s, which this LibTorch is installed for (" + std::string(first_line(error)) +
           "); build it with that one";
  }
  if (!symbol.empty()) {
    const bool of_torch =
        contains(symbol, "c10") || contains(symbol, "2at") || contains(symbol, "torch");
    if (of_torch) {
      return cannot + "it was probably built for another LibTorch than the " + torch_version() +
             " that is used here (it needs " + std::string(symbol) + "); build it against this one";
    }
    return cannot + "nothing defines " + std::string(symbol) +
           ", which it needs; link the library that does";
  }
  if (access(path.c_str(), F_OK) != 0 && contains(error, path))
    return cannot + "there is no such file; name a shared library";
  std::string reason(first_line(error));
  if (const std::size_t at = reason.find(kUnopened);
      at != std::string::npos && reason.substr(0, at) != path) {
    return cannot + "it needs " + reason.substr(0, at) +
           ", which is not found; name its folder in LD_LIBRARY_PATH, or link with -Wl,-rpath";
  }
  if (reason.starts_with(path + ": ")) reason.erase(0, path.size() + 2);
  if (is_no_library(reason)) {
    return cannot + "it is not a shared library for this machine (" + reason +
           "); build one with -shared -fPIC";
  }
  return cannot + reason + "; `ldd -r " + path + "` shows what it needs";
}

/// dlopen is declared to throw nothing, but static initializers may throw: in a direct call the
/// compiler would leave every handler out.
void* (*volatile open_library)(const char*, int) = dlopen;

/// Returns the loader's error; empty if the library is loaded. Throws what static initializers
/// throw.
std::string open(const std::string& path) {
  if (open_library(path.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return {};
  const char* const error = dlerror();
  return error == nullptr ? "unknown error" : error;
}

}  // namespace

std::string torch_version() {
  return version_text(aoti_torch_abi_version());
}

std::string torch_mismatch() {
  const std::uint64_t built = TORCH_ABI_VERSION;
  const std::uint64_t found = aoti_torch_abi_version();
  if (built >> 40 == found >> 40) return {};
  return "indexfuzz was built with LibTorch " + version_text(built) + ", but LibTorch " +
         version_text(found) +
         " was loaded: build indexfuzz with that one, or take it off LD_LIBRARY_PATH";
}

std::string load_library(const std::string& path) {
  if (path.ends_with(".py")) return import_python_file(path);
  // A bare name would be looked up in the system's folders only.
  const bool is_bare = path.find('/') == std::string::npos && access(path.c_str(), F_OK) == 0;
  const std::string thrower = path + " cannot be loaded: as it was loaded, it ";
  const std::string must_not =
      "; its static initializers, TORCH_LIBRARY's among them, must not throw";
  try {
    const std::string named = is_bare ? "./" + path : path;
    std::string error = open(named);
    // Once it is loaded, the loader finds it by its name.
    if (const std::string torch = missed_of_torch(error); !torch.empty()) {
      const std::string found = open(torch);
      error = found.empty() ? open(named) : found;
    }
    if (misses_python(error)) {
      const std::string missing = load_python_libraries();
      if (!missing.empty()) {
        return path + " cannot be loaded: it is a Python extension, and " + missing +
               "; or build its operators as a plain shared library that links LibTorch only";
      }
      error = open(named);
    }
    return error.empty() ? "" : explain(path, error);
  } catch (const c10::Error& error) {
    return thrower + "raised \"" + std::string(first_line(error.what_without_backtrace())) + "\"" +
           must_not;
  } catch (const std::exception& error) {
    return thrower + "raised \"" + std::string(first_line(error.what())) + "\"" + must_not;
  } catch (...) {
    return thrower + "threw what is not a std::exception" + must_not;
  }
}

}  // namespace indexfuzz
