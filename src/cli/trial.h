#pragma once
// One campaign against one kernel of the catalogue, through the command line that everybody uses.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "campaign/catalogue.h"
#include "campaign/outcome.h"
#include "campaign/temporary_folder.h"
#include "campaign/workers/subprocess.h"

namespace indexfuzz {

struct TrialOptions {
  std::filesystem::path plugin;
  std::string device;           ///< "cuda"; empty: wherever the kernel is registered
  std::string time;             ///< at most, for a planted bug: "30s"
  std::uint64_t correct_cases;  ///< drawn for a correct kernel
  std::uint64_t seed;
  bool verify = true;  ///< runs the stand-alone programs of a finding
  std::string engine = "property";
};

/// What a campaign showed of a kernel.
struct TrialResult {
  const PlantedKernel* kernel = nullptr;
  ProgramEnd end;
  std::string error;            ///< the last line of a campaign that could not do its work
  std::uint64_t cases = 0;      ///< that reached the kernel and were judged
  std::uint64_t triggered = 0;  ///< of them, those that failed
  std::uint64_t findings = 0;
  std::uint64_t unconfirmed = 0;
  double seconds = 0;  ///< of drawing and examining, the programs not counted
  std::string kind;    ///< of the first finding; empty where there is none
  double first_seconds = 0;
  std::int64_t elements = 0;
  std::optional<bool> repro_py, repro_cpp;  ///< nothing where they were not run
  std::string signature;
  std::string command;  ///< that shows the same again
};

/// The campaign did its work, whatever it found.
bool was_tried(const TrialResult& result);
/// A planted bug was found, as a finding of a catalogued kind that blames what it should.
bool caught(const TrialResult& result);
/// The minimal case has at most twice the declared elements.
bool is_small(const TrialResult& result);
/// Nothing was found and something was verified.
bool silent(const TrialResult& result);
/// As the catalogue says, and no stand-alone program came out right.
bool as_catalogued(const TrialResult& result);
/// Why `selftest` does not end with 0; nothing where it may. A campaign that could not do its work
/// shows nothing of its kernel: its own reason is the one.
std::optional<Reason> reason_of(const TrialResult& result);

/// Owns the campaign's process and its folder.
class Trial {
 public:
  /// Throws SetupError where no temporary folder can be made.
  Trial(const PlantedKernel& kernel, const TrialOptions& options);
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// Never waits.
  std::optional<TrialResult> poll();

 private:
  TrialResult read(const ProgramEnd& end) const;

  const PlantedKernel& kernel_;
  TemporaryFolder folder_;
  std::string command_;
  std::unique_ptr<Subprocess> process_;
};

}  // namespace indexfuzz
