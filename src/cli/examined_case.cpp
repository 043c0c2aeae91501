#include "cli/examined_case.h"

#include <fmt/format.h>

#include "campaign/examine/finding.h"
#include "campaign/failure.h"
#include "cli/quantity.h"

namespace indexfuzz {

ExaminedCase examine_case(const OneCase& one, std::string_view verb) {
  const auto timeout = parse_duration(one.under_test.timeout);
  const CaseFile file = read_case_file(one.path);
  const WorkerCommand worker = one.under_test.worker(operators_of({file}));
  CaseSession session(worker, one.under_test.strict, timeout);
  const Judged judged = first_failing(judge_by_all(session, file), file, session.hello());
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
    finding.failed = confirmation.failed;
    finding.runs = confirmation.runs;
    if (confirmation.failed > 0) {
      finding.verdict = confirmation.verdict;
      finding.signature = session.sign(file.judged(), confirmation, judged.implementation);
    }
  } else {
    passes = session.hello().implementations[judged.implementation].name + " " +
             in_words(judged.verdict, file.judged());
    // A program that passes is written for who names the implementation, not by mistake.
    const std::string elsewhere = found_elsewhere(file, session.hello());
    if (!elsewhere.empty() && one.under_test.implementations.empty()) {
      throw SetupError(
          fmt::format("{}: nothing to {}, {}; {}.", one.path, verb, passes, elsewhere));
    }
  }
  return {reproduction(finding, session.hello(), worker.libraries), passes};
}

}  // namespace indexfuzz
