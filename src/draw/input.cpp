#include "draw/input.h"

#include <string_view>

#include "case/bytes.h"
#include "ops/repair/repair.h"
#include "ops/text/case_text.h"

namespace indexfuzz {
namespace {

constexpr std::size_t kLeastBytes = 4;

}  // namespace

bool read_input(std::span<const std::byte> bytes, const Limits& limits, Case& c) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with(kCaseHeader)) {
    const ParsedCases parsed = parse_cases(text);
    if (!parsed.error.empty() || parsed.cases.empty()) return false;
    c = parsed.cases.back();
  } else {
    if (bytes.size() < kLeastBytes) return false;
    c = decode(bytes);
  }
  repair(c, limits);
  return true;
}

}  // namespace indexfuzz
