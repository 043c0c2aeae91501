// indexfuzz-worker: runs kernels for indexfuzz, which starts it. See run/shared/protocol.h.

#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>

#include "run/process/zygote.h"

namespace {

constexpr std::string_view kUsage =
    "usage: indexfuzz-worker --control FD --memory FD [--load LIB]... [--impl IMPL]... [--operator "
    "NAME]... [--contract TEXT] [--native-coverage]\n"
    "indexfuzz starts this program; it is not meant to be called by hand.\n";

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::optional<indexfuzz::ZygoteOptions> parse(int argc, char** argv) {
  indexfuzz::ZygoteOptions options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--native-coverage") {
      options.native_coverage = true;
      --i;
      continue;
    }
    if (i + 1 == argc) return std::nullopt;
    const std::string_view value = argv[i + 1];
    if (option == "--control" || option == "--memory") {
      const std::optional<int> fd = number(value);
      if (!fd) return std::nullopt;
      (option == "--control" ? options.control : options.memory) = *fd;
    } else if (option == "--load") {
      options.libraries.emplace_back(value);
    } else if (option == "--impl") {
      options.implementations.emplace_back(value);
    } else if (option == "--contract") {
      options.contract = value;
    } else if (option == "--operator") {
      options.operators.emplace_back(value);
    } else {
      return std::nullopt;
    }
  }
  if (options.control < 0 || options.memory < 0) return std::nullopt;
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = parse(argc, argv);
  if (!options) {
    std::fputs(kUsage.data(), stderr);
    return 1;
  }
  return indexfuzz::run_zygote(*options);
}
