#pragma once
// Words, numbers and tuples of one line of a case file. Private to the parser of the text form.

#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "case/dims.h"

namespace indexfuzz {

/// What is wrong with a line, without its number.
struct BadLine : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Text of a file as it may be shown in a message: short, and printable ASCII only.
std::string shown(std::string_view text);

/// A line, read from left to right. Every reading throws BadLine where something else stands.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) { skip_blanks(); }

  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  /// Letters, digits, '_', '-' and '.'; `what` says what is expected.
  std::string_view word(std::string_view what);
  void expect(char mark, std::string_view what);
  /// A decimal integer within [low, high].
  std::int64_t number(std::string_view what, std::int64_t low, std::int64_t high);
  /// "(1, 2, 3)" with at most kMaxDims numbers.
  Dims tuple(std::string_view what, std::int64_t low, std::int64_t high);

 private:
  void skip_blanks();

  std::string_view rest_;
};

}  // namespace indexfuzz
