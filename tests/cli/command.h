#pragma once
// The public command line as a user runs it.

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaign/catalogue.h"
#include "campaign/workers/subprocess.h"

namespace indexfuzz {

using Arguments = std::vector<std::string>;

/// A folder that is removed in the end.
class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }
  /// Writes a file into it; returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path folder_;
};

struct Ended {
  int code = -1;  ///< exit code; 1000 + its number where a signal ended it
  std::string out, err;
};

/// Waits for any program; both streams are `out`.
Ended run(Subprocess& program);

/// `indexfuzz ARGUMENTS`, running. Killed with the object.
class Command {
 public:
  explicit Command(const Arguments& arguments);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  std::string err() const;  ///< so far
  /// Ends it with SIGKILL after the limit.
  Ended wait(std::chrono::seconds limit = std::chrono::minutes(3));

 private:
  pid_t pid_ = -1;
  Scratch output_;
};

Ended run(const Arguments& arguments);

/// Whether this machine has no Python that runs exported files.
bool lacks_torch();

std::string read_text(const std::filesystem::path& file);
nlohmann::json read_json(const std::filesystem::path& file);
/// An entry of a ledger, for the CPU of every torch.
std::string ledger_entry(const std::string& signature, const std::string& case_file);
/// The plugin with the planted bugs and the correct kernels.
std::string planted_library();
/// What the catalogue of planted kernels says of one.
PlantedKernel catalogued(const std::string& name);
/// `fuzz OPERATOR` with one kernel of it and one job, without ledger and without programs, kept in
/// `out`.
Arguments fuzz_one(const std::string& op, const std::string& kernel, const std::string& out,
                   const Arguments& more = {});

}  // namespace indexfuzz
