#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace indexfuzz {

/// What is written into a file of JSON: indented, with a final newline. Bytes that are no UTF-8, as
/// a kernel's message may hold, are replaced.
inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace indexfuzz
