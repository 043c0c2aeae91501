#include "cli/examined_case.h"

#include <fmt/format.h>

#include <cstdio>

#include "campaign/examine/finding.h"
#include "campaign/failure.h"

namespace indexfuzz {

ExaminedCase examine_case(const OneCase& one, std::string_view verb) {
  const CaseFile file = read_case_file(one.path);
  CaseSession session = one.session_for(file);
  const Judged judged = first_failing(session, file);
  Finding finding;
  std::string passes;
  finding.implementation = judged.implementation;
  finding.original = finding.minimal = file.judged();
  finding.verdict = judged.verdict;
  if (judged.verdict.status == Status::kFinding) {
    const Confirmation confirmation =
        session.confirm_failure(file.judged(), judged.verdict, judged.implementation);
    if (session.interrupted()) throw Interruption();
    finding.before = session.before(judged.implementation);
    finding.reruns = {confirmation.failed, confirmation.runs};
    if (confirmation.failed > 0) {
      finding.verdict = confirmation.verdict;
      finding.signature = session.sign(file.judged(), confirmation, judged.implementation);
    }
  } else {
    passes = in_words(judged, file, session.hello());
    // A program that passes is written for who names the implementation, not by mistake.
    const std::string elsewhere = found_elsewhere(file, session.hello());
    if (!elsewhere.empty() && one.under_test.implementations.empty())
      throw SetupError(nothing_to(verb, one, passes, elsewhere));
  }
  return {reproduction(finding, session.hello(), session.command().libraries), passes};
}

void tell_if_it_passes(const ExaminedCase& examined) {
  if (examined.passes.empty()) return;
  fmt::print(stderr, "indexfuzz: {} here, so the program looks at the result alone.\n",
             examined.passes);
}

}  // namespace indexfuzz
