#include "campaign/store/torch_version.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace indexfuzz {
namespace {

/// How near a version is to the release of its numbers, and which of that kind it is: of
/// "2.9.0rc1", a release candidate, 1.
std::tuple<int, int> stage(std::string_view version) {
  constexpr std::string_view kStages[] = {"dev", "a", "b", "rc"};
  std::string_view rest = version;
  rest.remove_prefix(std::min(rest.find_first_not_of("0123456789."), rest.size()));
  for (int i = 0; i < static_cast<int>(std::size(kStages)); ++i) {
    const std::string_view name = kStages[i];
    if (!rest.starts_with(name)) continue;
    int number = 0;
    std::from_chars(rest.data() + name.size(), rest.data() + rest.size(), number);
    return {i, number};
  }
  return {static_cast<int>(std::size(kStages)), 0};
}

}  // namespace

std::optional<ReleaseNumbers> release_numbers(std::string_view text) {
  ReleaseNumbers version{};
  for (std::size_t part = 0; part < version.size(); ++part) {
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), version[part]);
    if (error != std::errc{}) return part == 0 ? std::nullopt : std::optional(version);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty() || text.front() != '.') break;
    text.remove_prefix(1);
  }
  return version;
}

bool is_older(std::string_view a, std::string_view b) {
  const auto numbers = release_numbers(a), others = release_numbers(b);
  if (!numbers || !others) return false;
  return *numbers != *others ? *numbers < *others : stage(a) < stage(b);
}

}  // namespace indexfuzz
