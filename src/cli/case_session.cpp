#include "cli/case_session.h"

#include "campaign/examine/shrink_sequence.h"
#include "campaign/failure.h"

namespace indexfuzz {

CaseSession::CaseSession(const WorkerCommand& command, bool strict,
                         std::chrono::milliseconds timeout)
    : zygote_(command, kForks, [this] { return interrupted(); }),
      hello_(zygote_.hello()),
      runner_(zygote_, {0, kForks}, strict, [this] { return interrupted(); }),
      timeout_(timeout) {}

std::vector<Case> CaseSession::before(std::uint32_t implementation) const {
  const auto found = before_.find(implementation);
  return found == before_.end() ? std::vector<Case>() : found->second;
}

ExamineOptions CaseSession::options(std::uint32_t implementation, Kind kind) const {
  ExamineOptions options;
  options.implementation = implementation;
  options.timeout = timeout_;
  options.kind = kind;
  options.before = before(implementation);
  return options;
}

Verdict CaseSession::run(const CaseFile& file, std::uint32_t implementation,
                         ReturnedElements* returned) {
  RunOptions options;
  options.implementation = implementation;
  options.timeout = timeout_;
  std::vector<Case>& before = before_[implementation];
  before.assign(file.cases.begin(), file.cases.end() - 1);
  options.returned = returned;
  const auto verdict = runner_.run_sequence(file.cases, options);
  options.returned = nullptr;
  if (interrupted()) throw Interruption();
  if (verdict && verdict->status == Status::kFinding && !before.empty()) {
    // What fails alone needs nothing before it.
    const ImplementationInfo& judged = hello_.implementations[implementation];
    const auto alone = runner_.run_sequence({&file.judged(), 1}, options);
    if (alone && key_of(file.judged(), *alone, judged) == key_of(file.judged(), *verdict, judged))
      before.clear();
  }
  if (verdict) return *verdict;
  // A case before the last ended the process, so that case fails.
  for (std::size_t count = 1; count < file.cases.size(); ++count) {
    const auto earlier = runner_.run_sequence(std::span(file.cases).first(count), options);
    if (interrupted()) throw Interruption();
    if (earlier && ends_process(*earlier)) return *earlier;
  }
  return finding(Kind::kCrash, -1, "a case before the last one ended the process");
}

Confirmation CaseSession::confirm_failure(const Case& c, const Verdict& verdict,
                                          std::uint32_t implementation) {
  const std::uint64_t key = key_of(c, verdict, hello_.implementations[implementation]);
  return confirm(runner_, {}, c, key, options(implementation, verdict.kind));
}

Signature CaseSession::sign(const Case& c, const Confirmation& confirmation,
                            std::uint32_t implementation) {
  const TraitSet essential = essential_traits(runner_, c, confirmation,
                                              options(implementation, confirmation.verdict.kind));
  if (interrupted()) throw Interruption();
  return signature(c, confirmation.verdict, hello_.implementations[implementation].name, essential,
                   before(implementation).size());
}

std::vector<Case> CaseSession::minimal(const Case& c, const Confirmation& confirmation,
                                       std::uint32_t implementation) {
  return shrink_sequence(runner_, c, confirmation,
                         options(implementation, confirmation.verdict.kind));
}

}  // namespace indexfuzz
