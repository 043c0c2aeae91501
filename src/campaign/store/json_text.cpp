#include "campaign/store/json_text.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace indexfuzz {

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json parse_json(std::string_view text) {
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

double rounded(double value, double scale) {
  return std::round(value * scale) / scale;
}

}  // namespace indexfuzz
