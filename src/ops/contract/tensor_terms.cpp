#include "ops/contract/tensor_terms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>
#include <vector>

#include "case/strings/printable.h"
#include "ops/contract/toml_node.h"

namespace indexfuzz {
namespace {

Range range_of(const toml::node& node, std::string_view term) {
  Range range;
  if (node.is_integer()) {
    range.least = range.most = number_of(node, term);
  } else if (const toml::array* const pair = node.as_array()) {
    if (pair->size() != 2) fail(node, fmt::format("`{}` takes a pair [least, most]", term));
    range.least = number_of(*pair->get(0), term);
    range.most = number_of(*pair->get(1), term);
  } else if (const toml::table* const parts = node.as_table()) {
    for (const auto& [key, value] : *parts) {
      if (key.str() == "least") {
        range.least = number_of(value, term);
      } else if (key.str() == "most") {
        range.most = number_of(value, term);
      } else if (key.str() == "multiple_of") {
        range.multiple_of = number_of(value, term);
      } else {
        fail(value, fmt::format("`{}` has no part `{}`{}", term, printable(key.str()),
                                hint(key.str(), {"least", "most", "multiple_of"})));
      }
    }
  } else {
    fail(node, fmt::format("`{}` takes a number, a pair [least, most] or a table of least, most "
                           "and multiple_of",
                           term));
  }
  if (range.multiple_of < 1 || !holds(range, nearest(range, range.least)))
    fail(node, fmt::format("`{}` leaves no number", term));
  return range;
}

bool flag_of(const toml::node& node, std::string_view term) {
  const auto* const flag = node.as_boolean();
  if (flag == nullptr) fail(node, fmt::format("`{}` is true or false", term));
  return flag->get();
}

DtypeSet dtypes_of(const toml::node& node) {
  const toml::array* const list = node.as_array();
  if (list == nullptr || list->empty()) fail(node, "`dtypes` takes a list: [\"float32\"]");
  DtypeSet dtypes = 0;
  for (const toml::node& entry : *list) dtypes |= set_of(dtype_of(entry));
  return dtypes;
}

Strides strides_of(const toml::node& node) {
  static const std::vector<std::string> words{"any", "rows", "dense", "contiguous"};
  const auto* const word = node.as_string();
  const auto place = word == nullptr ? words.end() : std::ranges::find(words, word->get());
  if (place == words.end())
    fail(node, fmt::format("`strides` is one of {}", fmt::join(words, ", ")));
  return static_cast<Strides>(place - words.begin());
}

std::int64_t alignment_of(const toml::node& node) {
  const std::int64_t bytes = number_of(node, "alignment");
  if (!std::has_single_bit(static_cast<std::uint64_t>(bytes)) || bytes > kMostAlignment) {
    fail(node, fmt::format("`alignment` is a power of two, at most {}, in bytes", kMostAlignment));
  }
  return bytes;
}

template <typename Value>
struct Term {
  std::string_view name;
  Value TensorTerms::*value;
};
constexpr Term<Range> kRanges[] = {{"rank", &TensorTerms::rank},
                                   {"size", &TensorTerms::size},
                                   {"last_size", &TensorTerms::last_size},
                                   {"elements", &TensorTerms::elements}};
constexpr Term<bool> kFlags[] = {{"expanded", &TensorTerms::expanded},
                                 {"overlapping", &TensorTerms::overlapping},
                                 {"negative", &TensorTerms::negative},
                                 {"duplicates", &TensorTerms::duplicates}};

[[noreturn]] void fail_to_know(std::string_view term, const toml::node& node) {
  std::vector<std::string> names{"dtypes", "strides", "alignment"};
  for (const Term<Range>& range : kRanges) names.emplace_back(range.name);
  for (const Term<bool>& flag : kFlags) names.emplace_back(flag.name);
  fail(node,
       fmt::format("a tensor argument has no term `{}`{}", printable(term), hint(term, names)));
}

}  // namespace

TensorTerms tensor_terms(std::string_view argument, const toml::table& table) {
  TensorTerms terms;
  terms.argument = argument;
  for (const auto& [key, value] : table) {
    const std::string_view term = key.str();
    const auto* const range = std::ranges::find(kRanges, term, &Term<Range>::name);
    const auto* const flag = std::ranges::find(kFlags, term, &Term<bool>::name);
    if (range != std::end(kRanges)) {
      terms.*range->value = range_of(value, term);
    } else if (flag != std::end(kFlags)) {
      terms.*flag->value = flag_of(value, term);
    } else if (term == "dtypes") {
      terms.dtypes = dtypes_of(value);
    } else if (term == "strides") {
      terms.strides = strides_of(value);
    } else if (term == "alignment") {
      terms.alignment = alignment_of(value);
    } else {
      fail_to_know(term, value);
    }
  }
  return terms;
}

}  // namespace indexfuzz
