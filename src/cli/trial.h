#pragma once
// One campaign of `selftest`: `indexfuzz fuzz` as a process, against one kernel of the catalogue.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "campaign/catalogue.h"
#include "campaign/exit_code.h"
#include "campaign/temporary_folder.h"
#include "campaign/workers/subprocess.h"

namespace indexfuzz {

struct TrialOptions {
  std::filesystem::path plugin;
  std::string device;  ///< "cuda"; if empty, every device that the kernel is registered for
  std::string time;    ///< limit for a planted bug: "30s"
  std::uint64_t correct_cases;  ///< cases drawn for a correct kernel
  std::uint64_t seed;
  bool verify = true;  ///< run the stand-alone programs of a finding
  std::string engine = "property";
};

/// What the campaign found out about a kernel.
struct TrialResult {
  const PlantedKernel* kernel = nullptr;
  ProgramEnd end;
  std::string error;        ///< if the campaign could not do its work: how it ended, its last line
  std::uint64_t cases = 0;  ///< cases that reached the kernel and were judged
  std::uint64_t triggered = 0;  ///< how many of `cases` failed
  std::uint64_t findings = 0;
  std::uint64_t unconfirmed = 0;
  double seconds = 0;  ///< for drawing and examining, without the stand-alone programs
  std::string kind;    ///< of the first finding, as all that follows; empty if there is none
  double first_seconds = 0;
  std::int64_t elements = 0;
  std::optional<bool> repro_py, repro_cpp;  ///< whether it fails; nullopt if it was not run
  std::string signature;
  std::string command;  ///< repeats this campaign
};

/// Whether the campaign did its work, whatever it found.
bool was_tried(const TrialResult& result);
/// Whether there is a finding of a catalogued kind whose signature contains `blames`.
bool caught(const TrialResult& result);
/// Whether the minimal case has at most twice the declared elements.
bool is_small(const TrialResult& result);
/// Whether nothing was found and something was verified.
bool silent(const TrialResult& result);
/// Whether the result is as the catalogue says and no stand-alone program passed.
bool as_catalogued(const TrialResult& result);
/// Why `selftest` does not end with 0; nullopt if as_catalogued(). If the campaign could not do its
/// work, this is the campaign's own reason; else kNew.
std::optional<Reason> reason_of(const TrialResult& result);

/// Owns the campaign's process and a temporary folder for its --out.
class Trial {
 public:
  /// Starts the campaign. Throws SetupError if no temporary folder can be made.
  Trial(const PlantedKernel& kernel, const TrialOptions& options);
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// The result once the campaign has ended, else nullopt. Never waits.
  std::optional<TrialResult> poll();

 private:
  TrialResult read(const ProgramEnd& end) const;

  const PlantedKernel& kernel_;
  TemporaryFolder folder_;
  std::string command_;
  std::unique_ptr<Subprocess> process_;
};

}  // namespace indexfuzz
