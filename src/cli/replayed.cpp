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

bool is_verdict(Replayed::Outcome outcome) {
  switch (outcome) {
    case Replayed::Outcome::kPassed:
    case Replayed::Outcome::kKnown:
    case Replayed::Outcome::kFailed:
    case Replayed::Outcome::kFixed: return true;
    case Replayed::Outcome::kSkipped:
    case Replayed::Outcome::kUnreadable: return false;
  }
  return false;
}

}  // namespace indexfuzz
