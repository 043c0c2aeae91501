#pragma once
// A failure that was re-run, shrunk and named.

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "campaign/engine.h"
#include "campaign/hello.h"
#include "campaign/programs/verified.h"
#include "case/case.h"
#include "judge/signature.h"
#include "judge/verdict.h"
#include "reproduce/reproduction.h"
#include "reproduce/reruns.h"

namespace indexfuzz {

struct Finding {
  Signature signature;
  std::uint32_t implementation = 0;  ///< index into the hello's
  Case original;
  Case minimal;
  /// Cases to run in the same process first, without which `original` and `minimal` do not fail.
  /// Mostly none.
  std::vector<Case> original_before, before;
  Verdict verdict;     ///< on the minimal case
  TraitSet essential;  ///< traits of the minimal case of which resetting any one makes it pass
  Reruns reruns;
  double first_seconds = 0;
  Engine engine = Engine::kProperty;
  std::uint64_t seed = 0;
  std::uint32_t worker = 0;
  std::uint64_t case_number = 0;
  /// Whether the ledger lists this failure or, for a custom kernel, the same failure of ATen's; or
  /// whether ATen accepts the same illegal call.
  bool known = false;
  std::string reason;  ///< why, if it is known: in most cases the ledger's reason
  /// For a custom kernel, if ATen fails in the same way on the minimal case: the reason in the
  /// ledger, or that the ledger does not list it. Else empty.
  std::string aten_reason;
  int silenced_place = -1;  ///< of its entry among the SilencedFailures
  Verified repro_py = Verified::kNotRun;
  Verified repro_cpp = Verified::kNotRun;
};

/// Whether some runs of the minimal case failed and others did not, as with a race, rather than
/// because the machine was busy. A program in which such a call comes out right proves nothing.
bool shows_by_chance(const Finding& finding);
/// Whether a stand-alone program came out right and none came out wrong, unless that is chance: the
/// fault is then in indexfuzz, not in the implementation.
bool withdrawn(const Finding& finding);
/// Whether it counts: the ledger does not know it, and its programs have not withdrawn it.
bool is_new(const Finding& finding);
/// Whether another verdict on the minimal case is the same failure, with both taken as verdicts on
/// the implementation `name`.
bool fails_alike(const Finding& finding, const Verdict& other, std::string_view name);
/// The fewest elements of a case that shows this finding: a failure with the same key but fewer is
/// another one. That is the minimal case's number, if the finding has no essential traits and fails
/// every time; else 0, since the case need not be minimal.
std::int64_t least_elements(const Finding& finding);

/// The call as written without indexfuzz. `libraries`: absolute paths of those that were loaded.
CallSite call_site(const ImplementationInfo& implementation, const Case& c,
                   const std::vector<std::string>& libraries);
Reproduction reproduction(const Finding& finding, const Hello& hello,
                          const std::vector<std::string>& libraries);

/// The content of findings/<id>/, by file name.
std::map<std::string, std::string> finding_files(const Finding& finding, const Hello& hello,
                                                 const std::vector<std::string>& libraries);
/// The content of finding.json.
nlohmann::ordered_json finding_json(const Finding& finding, const Hello& hello);
/// The fields of finding.json that the stand-alone programs decide.
nlohmann::ordered_json verified_json(const Finding& finding);
/// A row of summary.json's "findings".
nlohmann::ordered_json summary_row(const Finding& finding, const Hello& hello);

}  // namespace indexfuzz
