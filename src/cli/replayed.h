#pragma once
// What became of a case file on one implementation, and how reports say so.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace indexfuzz {

struct Replayed {
  std::string file;            ///< printable
  std::string implementation;  ///< empty where the file came to none
  enum class Outcome : std::uint8_t {
    kPassed,
    kKnown,       ///< fails as the ledger lists it
    kFailed,      ///< fails, and the ledger does not list it
    kFixed,       ///< does not fail, though the ledger lists it
    kSkipped,     ///< nothing was judged
    kUnreadable,  ///< named, but no case file
  } outcome = Outcome::kPassed;
  std::string text;       ///< why; the signature of what fails
  std::string reason;     ///< of what is known or fixed: the ledger's
  std::string signature;  ///< of what fails, and of what is fixed
};

/// "passed", "known", "FAILED", "FIXED", "skipped", "UNREADABLE".
std::string_view name(Replayed::Outcome outcome);
/// Whether something was judged, for good or ill.
bool is_verdict(Replayed::Outcome outcome);

/// JUnit's XML: one test a row, a known failure as a passed one with its reason.
std::string junit_text(const std::vector<Replayed>& results);

/// SARIF 2.1.0: a result for each row that failed, is known (as suppressed), is fixed or
/// unreadable.
std::string sarif_text(const std::vector<Replayed>& results);

}  // namespace indexfuzz
