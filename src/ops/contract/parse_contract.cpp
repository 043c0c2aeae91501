#include "ops/contract/parse_contract.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "case/strings/printable.h"
#include "case/strings/toml_dots.h"
#include "ops/contract/tensor_terms.h"
#include "ops/contract/toml_node.h"
#include "ops/contract/values.h"

namespace indexfuzz {
namespace {

constexpr std::size_t kMostDots = 1000;        // a contract needs none
constexpr std::int64_t kMostZeros = 64 << 20;  // bytes
constexpr std::size_t kMostValues = 16;  // each value of an added argument is an implementation

Zeros zeros_of(const toml::table& table) {
  Zeros zeros;
  for (const auto& [key, value] : table) {
    if (key.str() == "dtype") {
      zeros.dtype = dtype_of(value);
    } else if (const toml::array* const shape = value.as_array();
               key.str() == "zeros" && shape != nullptr) {
      for (const toml::node& size : *shape) zeros.shape.push_back(number_of(size, "zeros"));
    } else {
      fail(value, "a workspace is { zeros = [1024], dtype = \"uint8\" }");
    }
  }
  auto bytes = static_cast<std::int64_t>(item_size(zeros.dtype));
  for (const std::int64_t size : zeros.shape) {
    if (size > 0 && bytes > kMostZeros / size)
      fail(table, fmt::format("a workspace has at most {} bytes", kMostZeros));
    bytes *= size;
  }
  return zeros;
}

/// Whether a string literal of Python and C++ can hold it as it is.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\'' && c != '\\'; });
}

std::optional<Integers> integers_of(const toml::array& list) {
  Integers integers;
  for (const toml::node& entry : list) {
    const auto* const number = entry.as_integer();
    if (number == nullptr || integers.size() == kMostValues) return std::nullopt;
    integers.push_back(number->get());
  }
  return integers;
}

ArgumentValue value_of(const toml::node& node) {
  if (const toml::table* const table = node.as_table()) return zeros_of(*table);
  if (const auto* const flag = node.as_boolean()) return flag->get();
  if (const auto* const number = node.as_integer()) return number->get();
  if (const auto* const real = node.as_floating_point(); real != nullptr && std::isfinite(**real))
    return real->get();
  if (const auto* const text = node.as_string()) {
    if (text->get() == "None") return std::monostate{};
    if (is_plain(text->get())) return text->get();
  }
  if (const toml::array* const list = node.as_array()) {
    if (std::optional<Integers> integers = integers_of(*list)) return std::move(*integers);
  }
  fail(node, fmt::format(
                 "an argument takes finite numbers, true, false, \"None\", strings without quotes "
                 "and lists of up to {} whole numbers",
                 kMostValues));
}

/// One value or, in a list, several. Whole numbers in a list are one value if `is_list`.
std::vector<ArgumentValue> values_of(const toml::node& node, bool is_list) {
  const toml::array* const list = node.as_array();
  if (list == nullptr || (is_list && integers_of(*list))) return {value_of(node)};
  if (list->empty() || list->size() > kMostValues)
    fail(node, fmt::format("a list holds 1 to {} values", kMostValues));
  std::vector<ArgumentValue> values;
  for (const toml::node& entry : *list) values.push_back(value_of(entry));
  return values;
}

using Operators = std::span<const OperatorInfo* const>;

template <typename Predicate>
bool any_overload(Operators under_test, Predicate predicate) {
  return std::ranges::any_of(under_test, [&](const OperatorInfo* op) {
    return std::ranges::any_of(op->overloads, predicate);
  });
}

std::vector<std::string> tensor_names(Operators under_test) {
  std::vector<std::string> names{"out"};
  for (const OperatorInfo* op : under_test) {
    for (const Overload& overload : op->overloads) {
      for (const OperandSpec& spec : overload.operands) {
        if (spec.role != Role::kScalar && std::ranges::find(names, spec.name) == names.end())
          names.emplace_back(spec.name);
      }
    }
  }
  return names;
}

void add_value(const std::string& argument, const toml::node& node, Operators under_test,
               Contract& contract) {
  const std::vector<std::string> tensors = tensor_names(under_test);
  if (std::ranges::find(tensors, argument) != tensors.end())
    fail(node, fmt::format("{} is a tensor; say what the kernel takes in a table [{}]", argument,
                           argument));
  const auto has = [&](const Overload& overload) { return has_argument(overload, argument); };
  const auto is_list = [&](const Overload& overload) { return has_list(overload, argument); };
  ValueTerms terms{argument, values_of(node, any_overload(under_test, is_list))};
  const bool is_atens = any_overload(under_test, has);
  for (const ArgumentValue& value : terms.values) {
    const auto can = [&](const Overload& overload) {
      return can_be_passed(value, overload, argument);
    };
    if (is_atens && !any_overload(under_test, can))
      fail(node, fmt::format("a contract cannot demand {} as {}", python_text(value), argument));
  }
  contract.values.push_back(std::move(terms));
}

void add(const std::string& argument, const toml::node& node, Operators under_test,
         Contract& contract) {
  if (argument == "outside") {
    const auto* const word = node.as_string();
    const bool is_known =
        word != nullptr && (word->get() == "skip" || word->get() == "must-refuse");
    if (!is_known) fail(node, "`outside` is \"skip\" or \"must-refuse\"");
    contract.must_refuse = word->get() == "must-refuse";
  } else if (const toml::table* const table = node.as_table();
             table != nullptr && !table->contains("zeros")) {
    const std::vector<std::string> tensors = tensor_names(under_test);
    if (std::ranges::find(tensors, argument) == tensors.end()) {
      fail(node, fmt::format("no operator under test has a tensor argument `{}`{}",
                             printable(argument), hint(argument, tensors)));
    }
    contract.tensors.push_back(tensor_terms(argument, *table));
  } else {
    add_value(argument, node, under_test, contract);
  }
}

}  // namespace

ParsedContract parse_contract(std::string_view text, std::string_view file, Operators under_test) {
  ParsedContract parsed;
  const auto say = [&](const toml::source_region& where, std::string_view what) {
    parsed.error =
        fmt::format("{}:{}:{}: {}", printable(file), where.begin.line, where.begin.column, what);
  };
  if (dots_outside_strings(text) > kMostDots) {
    parsed.error =
        fmt::format("{}: has keys of many parts, of which a contract has none", printable(file));
    return parsed;
  }
  try {
    const toml::table root = toml::parse(text, file);
    for (const auto& [key, value] : root)
      add(std::string(key.str()), value, under_test, parsed.contract);
  } catch (const toml::parse_error& error) {
    say(error.source(), error.description());
  } catch (const WrongNode& wrong) {
    say(wrong.where, wrong.what);
  }
  return parsed;
}

}  // namespace indexfuzz
