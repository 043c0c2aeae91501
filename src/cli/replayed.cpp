#include "cli/replayed.h"

namespace indexfuzz {

std::string_view name(Replayed::Outcome outcome) {
  switch (outcome) {
    case Replayed::Outcome::kPassed: return "passed";
    case Replayed::Outcome::kKnown: return "known";
    case Replayed::Outcome::kFailed: return "FAILED";
    case Replayed::Outcome::kFixed: return "FIXED";
    case Replayed::Outcome::kSkipped: return "skipped";
    case Replayed::Outcome::kUnreadable: return "UNREADABLE";
  }
  return "";
}

}  // namespace indexfuzz
