#include "campaign/programs/toolchain.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "campaign/store/folder_entries.h"
#include "campaign/workers/torch_place.h"
#include "case/strings/take_until.h"
#include "indexfuzz_config.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

std::string compiler() {
  for (const char* program : {config::kCxxCompiler, "c++", "g++", "clang++"}) {
    if (*program != '\0' && in_path(program)) return program;
  }
  return "";
}

/// What a program must be linked with, by its first line, which says how to compile it.
std::vector<std::string> libraries_of(const fs::path& source) {
  std::ifstream file(source);
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  std::vector<std::string> libraries;
  for (std::string word; words >> word;) {
    if (word.starts_with("-l")) libraries.push_back(word);
  }
  if (libraries.empty()) libraries = {"-ltorch_cpu", "-lc10", "-ldl"};
  return libraries;
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    std::string program = (fs::path(take_until(rest, ":")) / name).string();
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return "";
}

bool in_path(const std::string& program) {
  return !find_program(program).empty();
}

std::vector<fs::path> nvidia_packages(const fs::path& torch_libraries) {
  return entries_of(torch_libraries / "../../nvidia");
}

std::vector<std::string> compile_command(const fs::path& source, const fs::path& program) {
  const std::string cxx = compiler();
  const std::string lib = torch_libraries();
  const std::string include = lib == config::kTorchLibDir
                                  ? config::kTorchIncludeDir
                                  : (fs::path(lib).parent_path() / "include").string();
  std::error_code ignored;
  if (cxx.empty() || lib.empty() || !fs::exists(include + "/ATen/ATen.h", ignored)) return {};
  std::vector<std::string> command{
      cxx, "-std=c++20", "-w", source.string(), "-o", program.string(), "-I" + include,
      "-I" + include + "/torch/csrc/api/include", "-L" + lib,
      // An RPATH, unlike a RUNPATH, also serves what a kernel's library needs.
      "-Wl,--disable-new-dtags,-rpath," + lib, "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined"};
  // A wheel's libraries need CUDA's runtime from packages beside it; the linker only has to find
  // them.
  for (const fs::path& package : nvidia_packages(lib))
    command.push_back("-Wl,-rpath-link," + (package / "lib").string());
  std::ranges::copy(libraries_of(source), std::back_inserter(command));
  command.emplace_back("-lpthread");
  return command;
}

std::string default_python() {
  if (const char* active = getenv("VIRTUAL_ENV")) {
    const std::string python = std::string(active) + "/bin/python";
    if (in_path(python)) return python;
  }
  if (*config::kPython != '\0' && in_path(config::kPython)) return config::kPython;
  return in_path("python3") ? "python3" : "";
}

std::vector<std::string> torch_version_command(const std::string& python) {
  return {python, "-c", "import torch; print(torch.__version__)"};
}

}  // namespace indexfuzz
