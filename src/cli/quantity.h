#pragma once
// Parsers of quantities that users type. Each throws SetupError for a text that it cannot read.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "case/dtype.h"

namespace indexfuzz {

/// "90s", "10m", "8h", "500ms".
std::chrono::milliseconds parse_duration(const std::string& text);
/// "100000", "1e6".
std::uint64_t parse_count(const std::string& text);
/// "8GiB", "512MiB", "2e9".
std::int64_t parse_bytes(const std::string& text);
/// RFC 3339: "2026-05-01T08:00:00Z", "2026-05-01T08:00:00.25+02:00".
std::chrono::system_clock::time_point parse_rfc3339(const std::string& text);
/// "float32,int64".
DtypeSet parse_dtypes(const std::string& text);

}  // namespace indexfuzz
