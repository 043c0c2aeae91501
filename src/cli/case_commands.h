#pragma once
// What `show`, `shrink` and `export` share: one case file and what is tested.

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "campaign/examine/case_session.h"
#include "cli/under_test.h"

namespace indexfuzz {

struct OneCase {
  std::string path;
  UnderTest under_test;

  void add_to(CLI::App& command);
};

/// A verdict of one implementation on the last case of a file.
struct Judged {
  std::uint32_t implementation;
  Verdict verdict;
  ReturnedElements returned;
};
std::vector<Judged> judge_by_all(CaseSession& session, const CaseFile& file);
/// The first that fails; the first of all where none does. Throws SetupError where none has the
/// form.
Judged first_failing(const std::vector<Judged>& judged);

/// "it was found on mine::gather, which is not tested here: …", where the finding.json beside the
/// case file names such an implementation; else empty.
std::string found_elsewhere(const CaseFile& file, const Hello& hello);

/// "float32 (2, 2)  [[1., 2.], [3., 4.]]"; empty where nothing came back that can be shown, or what
/// the oracle expects.
std::string returned_in_words(const Judged& judged, const Case& c);

/// "agrees with the oracle", "refused this legal case: …", "FAILS, value: 2 wrong elements, …".
std::string in_words(const Verdict& verdict, const Case& c);

/// Writes to the file as a whole, or to stdout where it is empty or "-"; through a link to what it
/// leads to. Throws StorageError.
void write_output(const std::string& file, const std::string& text);

}  // namespace indexfuzz
