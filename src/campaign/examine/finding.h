#pragma once
// A failure that was re-run, shrunk and named.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "campaign/engine.h"
#include "campaign/hello.h"
#include "case/case.h"
#include "judge/signature.h"
#include "judge/verdict.h"
#include "reproduce/reproduction.h"

namespace indexfuzz {

/// What a stand-alone program showed.
enum class Verified : std::uint8_t {
  kPending,  ///< it was not run, or not in time
  kYes,      ///< it exits 1
  kRight,    ///< it exits 0: nothing is wrong without us
  kOther,    ///< it ends otherwise, or not in time
  kUnknown,  ///< this machine cannot run it
};

struct Finding {
  Signature signature;
  std::uint32_t implementation = 0;  ///< index into the hello's
  Case original;
  Case minimal;
  /// Run in the same process before the case: without them it does not fail. Mostly none.
  std::vector<Case> original_before, before;
  Verdict verdict;     ///< on the minimal case
  TraitSet essential;  ///< traits of the minimal case of which resetting any one makes it pass
  int failed = 0;      ///< of `runs` fresh re-runs
  int runs = 0;
  double first_seconds = 0;
  Engine engine = Engine::kProperty;
  std::uint64_t seed = 0;
  std::uint32_t worker = 0;
  std::uint64_t case_number = 0;
  bool known = false;
  std::string reason;  ///< the ledger's, where it is known
  /// Of a custom kernel's where ATen fails so on the minimal case: the ledger's reason, or that it
  /// lists none.
  std::string aten_reason;
  Verified repro_py = Verified::kPending;
  Verified repro_cpp = Verified::kPending;
};

/// "10/10", or "intermittent 3/10".
std::string reruns(const Finding& finding);
/// A stand-alone program ran and came out right, and none came out wrong: the finding is ours, not
/// the implementation's.
bool withdrawn(const Finding& finding);
/// Whether it counts, as one that the ledger does not know: somebody without indexfuzz can see it,
/// or nobody has looked.
bool is_new(const Finding& finding);
/// What fails like it with fewer elements is another failure: that of a minimal case that has no
/// trait, unless chance decides, so that no case is minimal. 0: none is another.
std::int64_t least_elements(const Finding& finding);

/// The call as somebody without indexfuzz writes it. `libraries`: absolute paths of what was
/// loaded.
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
