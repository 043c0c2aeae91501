#include "campaign/examine/program_outcome.h"

namespace indexfuzz {
namespace {

// How a reproducer that saw a wrong result ends, what it prints, and how one that cannot tell ends.
constexpr ProgramEnd kWrong{ProgramEnd::How::kExited, 1};
constexpr std::string_view kWrongMark = "WRONG: ";
constexpr ProgramEnd kCannotTell{ProgramEnd::How::kExited, 125};

}  // namespace

Verified shown_by(const ProgramEnd& end, std::string_view output) {
  if (end == kWrong && output.find(kWrongMark) != std::string_view::npos) return Verified::kYes;
  if (end == kCannotTell) return Verified::kCannotTell;
  if (end == kNotStarted) return Verified::kUnknown;
  return end.is_success() ? Verified::kRight : Verified::kOther;
}

}  // namespace indexfuzz
