#pragma once
// Shared by the commands that take a case file: the file, and what is under test.

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/case_session.h"
#include "cli/under_test.h"

namespace indexfuzz {

struct OneCase {
  std::string path;
  UnderTest under_test;

  void add_to(CLI::App& command);
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

/// The first that fails; if none fails, the first. Throws SetupError if `judged` is empty: then no
/// implementation has the form of the case.
Judged first_failing(const std::vector<Judged>& judged, const CaseFile& file, const Hello& hello);

/// "float32 (2, 2)  [[1., 2.], [3., 4.]]"; empty if nothing that can be shown came back, or exactly
/// what the oracle expects.
std::string returned_in_words(const Judged& judged, const Case& c);

/// "agrees with the oracle", "refused this legal case: …", "FAILS, value: 2 wrong elements, …".
std::string in_words(const Verdict& verdict, const Case& c);

}  // namespace indexfuzz
