#include "cli/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "campaign/failure.h"
#include "cli/names.h"

namespace indexfuzz {
namespace {

/// Splits a text into the number that it begins with and the rest. False if it begins with none.
bool leading_number(const std::string& text, double& value, std::string& rest) {
  if (text.empty() || (text[0] != '.' && (text[0] < '0' || text[0] > '9'))) return false;
  // strtod() would also take hexadecimal numbers, "inf" and "nan".
  if (text.find_first_of("xXnN") != std::string::npos) return false;
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  rest = end;
  return std::isfinite(value);
}

/// Whether the text matches the pattern, in which 0 stands for any digit.
bool looks_like(std::string_view text, std::string_view pattern) {
  return std::ranges::equal(text, pattern, [](char c, char wanted) {
    return wanted == '0' ? '0' <= c && c <= '9' : c == wanted;
  });
}

/// The number that `digits` digits at `place` stand for.
int number_at(std::string_view text, std::size_t place, std::size_t digits) {
  int number = 0;
  for (const char digit : text.substr(place, digits)) number = number * 10 + (digit - '0');
  return number;
}

/// Removes a fraction such as ".25" from the beginning of the text. 0 if there is no dot; nullopt
/// if no digit follows the dot.
std::optional<std::chrono::nanoseconds> take_fraction(std::string_view& text) {
  std::chrono::nanoseconds fraction{0}, unit{100'000'000};
  if (!text.starts_with('.')) return fraction;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", 1), text.size());
  if (end == 1) return std::nullopt;
  for (const char digit : text.substr(1, end - 1)) {
    fraction += unit * (digit - '0');
    unit /= 10;
  }
  text.remove_prefix(end);
  return fraction;
}

/// A time by RFC 3339, section 5.6, also with a space for the T; nullopt if it is none. A time out
/// of system_clock's range becomes the nearest one in it.
std::optional<std::chrono::system_clock::time_point> rfc3339(std::string_view text) {
  using namespace std::chrono;
  constexpr std::string_view kLocal = "0000-00-00T00:00:00";
  std::string local(text.substr(0, kLocal.size()));
  text.remove_prefix(local.size());
  if (local.size() == kLocal.size() && (local[10] == 't' || local[10] == ' ')) local[10] = 'T';
  const auto fraction = take_fraction(text);
  const bool utc = text == "Z" || text == "z";
  if (!looks_like(local, kLocal) || !fraction) return std::nullopt;
  if (!utc && !looks_like(text, "+00:00") && !looks_like(text, "-00:00")) return std::nullopt;

  const year_month_day date(year(number_at(local, 0, 4)),
                            month(static_cast<unsigned>(number_at(local, 5, 2))),
                            day(static_cast<unsigned>(number_at(local, 8, 2))));
  const hours hour(number_at(local, 11, 2));
  const minutes minute(number_at(local, 14, 2));
  const seconds second(number_at(local, 17, 2));
  const hours hours_ahead(utc ? 0 : number_at(text, 1, 2));
  const minutes minutes_ahead(utc ? 0 : number_at(text, 4, 2));
  if (!date.ok() || hour >= days(1) || minute >= hours(1) || second > minutes(1) ||
      hours_ahead >= days(1) || minutes_ahead >= hours(1))
    return std::nullopt;
  const auto ahead = (hours_ahead + minutes_ahead) * (text.starts_with('-') ? -1 : 1);
  const sys_seconds time = sys_days(date) + hour + minute + second - ahead;
  // A leap second is the last one of a UTC day.
  if (second == minutes(1) && time != floor<days>(time)) return std::nullopt;
  constexpr auto kFirst = ceil<seconds>(system_clock::time_point::min());
  constexpr auto kLast = floor<seconds>(system_clock::time_point::max()) - seconds(1);
  return std::clamp(time, kFirst, kLast) + *fraction;
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
  throw SetupError(fmt::format("'{}' is not a length of time; write 90s, 10m or 8h.", text));
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
  throw SetupError(fmt::format("'{}' is not an amount of memory; write 512MiB or 8GiB.", text));
}

std::uint64_t parse_count(const std::string& text) {
  // Parsed exactly, not as a double: a seed may have 64 bits.
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
  throw SetupError(fmt::format("'{}' is not a count; write 100000 or 1e6.", text));
}

std::chrono::system_clock::time_point parse_rfc3339(const std::string& text) {
  if (const auto time = rfc3339(text)) return *time;
  throw SetupError(fmt::format("'{}' is not a time; write 2026-05-01T08:00:00Z.", text));
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
