#include "ops/contract/toml_node.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "case/strings/nearest_name.h"
#include "case/strings/printable.h"

namespace indexfuzz {

namespace {
constexpr std::int64_t kMostNumber = std::int64_t{1} << 40;
}  // namespace

void fail(const toml::node& node, std::string what) {
  throw WrongNode{node.source(), std::move(what)};
}

std::string hint(std::string_view name, const std::vector<std::string>& all) {
  return did_you_mean(name, all, fmt::format("; there are {}", fmt::join(all, ", ")));
}

std::int64_t number_of(const toml::node& node, std::string_view term) {
  const auto* const number = node.as_integer();
  if (number == nullptr || number->get() < 0 || number->get() > kMostNumber)
    fail(node, fmt::format("`{}` takes numbers from 0 to {}", term, kMostNumber));
  return number->get();
}

Dtype dtype_of(const toml::node& node) {
  std::vector<std::string> names;
  for (const DtypeInfo& dtype : kDtypeInfo) names.emplace_back(dtype.name);
  const auto* const name = node.as_string();
  if (name == nullptr) fail(node, "a dtype is a name: \"float32\"");
  const std::optional<Dtype> dtype = dtype_from_name(name->get());
  if (!dtype) {
    fail(node,
         fmt::format("there is no dtype `{}`{}", printable(name->get()), hint(name->get(), names)));
  }
  return *dtype;
}

}  // namespace indexfuzz
