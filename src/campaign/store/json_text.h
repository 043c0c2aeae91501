#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace indexfuzz {

/// What is written into a file of JSON: indented, with a final newline. Bytes that are no UTF-8, as
/// a kernel's message may hold, are replaced.
inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// The value of a text of unknown origin. Discarded if it is no JSON or nests deeper than 64
/// levels: parsing does not recurse, but copying and dump() do.
inline nlohmann::ordered_json parse_json(std::string_view text) {
  constexpr int kMostDepth = 64;
  bool is_deep = false;
  auto json = nlohmann::ordered_json::parse(
      text,
      [&](int depth, auto /*event*/, auto& /*parsed*/) {
        is_deep |= depth > kMostDepth;
        return !is_deep;  // false: no more of the text is kept
      },
      false);
  return is_deep ? nlohmann::ordered_json(nlohmann::ordered_json::value_t::discarded) : json;
}

}  // namespace indexfuzz
