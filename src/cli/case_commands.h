#pragma once
// Shared by the commands that take a case file: the file, and what is under test.

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/case_session.h"
#include "cli/under_test.h"

namespace indexfuzz {

struct OneCase {
  std::string path;
  UnderTest under_test;

  void add_to(CLI::App& command);
  /// Starts what is under test, for the case file that was read from `path`. Throws SetupError,
  /// Interruption.
  CaseSession session_for(const CaseFile& file) const;
};

/// The verdict of one implementation on the last case of a file.
struct Judged {
  std::uint32_t implementation;
  Verdict verdict;
  ReturnedElements returned;
};
std::vector<Judged> judge_by_all(CaseSession& session, const CaseFile& file);
/// "it was found on mine::gather, which is not tested here: …", if the finding.json beside the case
/// file names an implementation that is not under test; else empty.
std::string found_elsewhere(const CaseFile& file, const Hello& hello);

/// The first implementation, by all of them, on which the case fails; if it fails on none, the
/// first. Throws SetupError if none has the form of the case; Interruption.
Judged first_failing(CaseSession& session, const CaseFile& file);

/// "x.case: nothing to shrink, aten:cpu agrees with the oracle; it was found on …."
std::string nothing_to(std::string_view verb, const OneCase& one, const std::string& passes,
                       const std::string& elsewhere);

/// "float32 (2, 2)  [[1., 2.], [3., 4.]]"; empty if nothing that can be shown came back, or exactly
/// what the oracle expects.
std::string returned_in_words(const Judged& judged, const Case& c);

/// "aten:cpu agrees with the oracle".
std::string in_words(const Judged& judged, const CaseFile& file, const Hello& hello);
/// "agrees with the oracle", "refused this legal case: …", "FAILS, value: 2 wrong elements, …".
std::string in_words(const Verdict& verdict, const Case& c);

}  // namespace indexfuzz
