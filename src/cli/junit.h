#pragma once
// What replayed files did, and that as a JUnit report.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace indexfuzz {

struct Replayed {
  std::string file;
  std::string implementation;  ///< empty where none has the case's form
  enum class Outcome : std::uint8_t { kPassed, kKnown, kFailed, kFixed, kSkipped } outcome;
  std::string text;
};
std::string_view name(Replayed::Outcome outcome);  ///< "passed"

/// A new failure and a fixed finding are failures; a known one passes.
std::string junit_text(const std::vector<Replayed>& results);

}  // namespace indexfuzz
