#include "cli/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

#include "campaign/failure.h"
#include "cli/names.h"

namespace indexfuzz {
namespace {

/// The number that a text begins with, and what follows it; false where it begins with none.
bool leading_number(const std::string& text, double& value, std::string& rest) {
  if (text.empty() || (text[0] != '.' && (text[0] < '0' || text[0] > '9'))) return false;
  // Hexadecimal numbers, "inf" and "nan" are for strtod alone.
  if (text.find_first_of("xXnN") != std::string::npos) return false;
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  rest = end;
  return std::isfinite(value);
}

}  // namespace

std::chrono::milliseconds parse_duration(const std::string& text) {
  double value = 0;
  std::string unit;
  if (leading_number(text, value, unit)) {
    const double milliseconds = unit == "ms"  ? value
                                : unit == "s" ? value * 1e3
                                : unit == "m" ? value * 60e3
                                : unit == "h" ? value * 3600e3
                                : unit == "d" ? value * 86400e3
                                              : -1;
    if (milliseconds >= 1 && milliseconds < 1e13) {
      return std::chrono::milliseconds(std::llround(milliseconds));
    }
  }
  throw SetupError(fmt::format("'{}' is no length of time; write 90s, 10m or 8h.", text));
}

std::int64_t parse_bytes(const std::string& text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1},          {"KB", 1e3},      {"MB", 1e6},     {"GB", 1e9},
      {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
  double value = 0;
  std::string unit;
  if (leading_number(text, value, unit)) {
    for (const auto& [name, factor] : kUnits) {
      const double bytes = value * factor;
      if (unit == name && bytes >= 1 && bytes < 1e15) return std::llround(bytes);
    }
  }
  throw SetupError(fmt::format("'{}' is no amount of memory; write 512MiB or 8GiB.", text));
}

std::uint64_t parse_count(const std::string& text) {
  // Whole numbers exactly: a seed may have 64 bits.
  if (!text.empty() && text.size() <= 20 &&
      text.find_first_not_of("0123456789") == std::string::npos) {
    errno = 0;
    const std::uint64_t value = std::strtoull(text.c_str(), nullptr, 10);
    if (errno == 0) return value;
  }
  double value = 0;
  std::string rest;
  if (leading_number(text, value, rest) && rest.empty() && value == std::floor(value) &&
      value < 1e18) {
    return static_cast<std::uint64_t>(value);
  }
  throw SetupError(fmt::format("'{}' is no count; write 100000 or 1e6.", text));
}

std::chrono::system_clock::time_point parse_rfc3339(const std::string& text) {
  std::tm time{};
  char zone[8] = {};
  const int fields =
      std::sscanf(text.c_str(), "%4d-%2d-%2d%*[Tt ]%2d:%2d:%2d%6s", &time.tm_year, &time.tm_mon,
                  &time.tm_mday, &time.tm_hour, &time.tm_min, &time.tm_sec, zone);
  int hours = 0, minutes = 0;
  const std::string offset = zone;
  const bool utc = offset == "Z" || offset == "z";
  const bool shifted = std::sscanf(zone, "%*1[+-]%2d:%2d", &hours, &minutes) == 2;
  if (fields != 7 || (!utc && !shifted)) {
    throw SetupError(fmt::format("'{}' is no time; write 2026-05-01T08:00:00Z.", text));
  }
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  const int ahead = (hours * 60 + minutes) * 60 * (offset[0] == '-' ? -1 : 1);
  return std::chrono::system_clock::from_time_t(timegm(&time) - (shifted ? ahead : 0));
}

DtypeSet parse_dtypes(const std::string& text) {
  std::vector<std::string> all;
  for (int i = 0; i < kDtypeCount; ++i) all.emplace_back(info(static_cast<Dtype>(i)).name);
  DtypeSet set = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string name = text.substr(at, comma - at);
    const auto dtype = dtype_from_name(name);
    if (!dtype) throw SetupError(unknown_name("dtype", name, all));
    set |= set_of(*dtype);
    at = comma + 1;
  }
  return set;
}

}  // namespace indexfuzz
