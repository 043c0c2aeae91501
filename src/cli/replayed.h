#pragma once
// The result of a case file on one implementation, and the reports of such results.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace indexfuzz {

struct Replayed {
  std::string file;            ///< printable
  std::string implementation;  ///< empty if the file was run on none
  enum class Outcome : std::uint8_t {
    kPassed,
    kKnown,       ///< fails as the ledger lists it
    kFailed,      ///< fails, and the ledger does not list it
    kFixed,       ///< does not fail, though the ledger lists it
    kSkipped,     ///< nothing was judged
    kUnreadable,  ///< named by the user, but not readable as a case file
  } outcome = Outcome::kPassed;
  std::string text;       ///< why it has this outcome; for a failure, its signature
  std::string reason;     ///< the ledger's reason, if known or fixed
  std::string signature;  ///< of the failure, or of the one that is fixed
};

/// "passed", "known", "FAILED", "FIXED", "skipped", "UNREADABLE".
std::string_view name(Replayed::Outcome outcome);
/// Whether the case was judged: passed, known, failed or fixed.
bool is_verdict(Replayed::Outcome outcome);

/// JUnit's XML: one test per result. A known failure is a passed test with the reason as output.
std::string junit_text(const std::vector<Replayed>& results);

/// SARIF 2.1.0: one result for each that failed, is known (suppressed in SARIF), is fixed or is
/// unreadable.
std::string sarif_text(const std::vector<Replayed>& results);

}  // namespace indexfuzz
