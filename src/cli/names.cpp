#include "cli/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/failure.h"
#include "case/strings/nearest_name.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

std::string unknown_name(std::string_view what, std::string_view name,
                         std::span<const std::string> all) {
  return fmt::format("there is no {} '{}'", what, name) +
         did_you_mean(name, all, fmt::format("; there are: {}.", fmt::join(all, ", ")));
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const OperatorInfo* info : operators()) names.emplace_back(info->name);
  return names;
}

Engines parse_engines(const std::string& name) {
  static const std::vector<std::string> names{"property", "coverage", "both", "random"};
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw SetupError(unknown_name("engine", name, names));
  return static_cast<Engines>(found - names.begin());
}

void check_operators(const std::vector<std::string>& names) {
  const auto all = operator_names();
  for (const std::string& name : names) {
    if (std::ranges::find(all, name) == all.end())
      throw SetupError(unknown_name("operator", name, all));
  }
}

}  // namespace indexfuzz
