#pragma once
// Words, numbers and tuples of one line of a case file. Private to the parser of the text form.

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "case/case.h"

namespace indexfuzz {

/// What is wrong with a line, without its number.
struct BadLine : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Text from a file in a form for messages: short, and printable ASCII only.
std::string shown(std::string_view text);

/// Reads a line from left to right. Every read throws BadLine if the line holds something else.
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

/// " (did you mean 'index_select'?)", or empty if no name is near.
std::string hint_at_nearest(std::string_view word, std::span<const std::string_view> names);
/// Throws "unknown dtype 'float23' (did you mean 'float32'?)".
[[noreturn]] void unknown(std::string_view what, std::string_view word,
                          std::span<const std::string_view> names);
/// Reads one of `words`, the values that a field may have; returns its index.
std::size_t one_of(LineReader& line, std::string_view what,
                   std::span<const std::string_view> words);

/// Reads the rest of an operand's line, after its name. The numbers read are so small that
/// arithmetic on them does not overflow; whether the operand is legal is not checked.
Operand read_operand(LineReader& line);

}  // namespace indexfuzz
