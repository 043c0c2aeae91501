#pragma once
// Numbers of things, as text for people.

#include <cstdint>
#include <string>
#include <string_view>

namespace indexfuzz {

/// 1234567 → "1,234,567".
std::string grouped(std::uint64_t number);
/// 0 if `whole` is 0.
double percent(std::uint64_t part, std::uint64_t whole);
/// 2, "finding" → "2 findings".
std::string plural(std::uint64_t count, std::string_view noun);

}  // namespace indexfuzz
