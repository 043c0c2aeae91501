#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace indexfuzz {

/// What is written into a file of JSON: indented, with a final newline. Bytes that are no UTF-8, as
/// a kernel's message may hold, are replaced.
std::string json_text(const nlohmann::ordered_json& json);

/// The value of a text of unknown origin. Discarded if it is no JSON or nests deeper than 64
/// levels: parsing does not recurse, but copying and dump() do.
nlohmann::ordered_json parse_json(std::string_view text);

/// A number rounded to as many decimal places as `scale`, a power of ten, has zeros.
double rounded(double value, double scale);

}  // namespace indexfuzz
