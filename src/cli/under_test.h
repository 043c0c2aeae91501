#pragma once
// The options that choose what is tested, which several subcommands share: --impl, --load,
// --contract, --strict, --timeout, --ledger, --no-ledger.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "campaign/store/ledger.h"
#include "campaign/workers/zygote_client.h"

namespace indexfuzz {

struct UnderTest {
  std::vector<std::string> implementations;
  std::vector<std::string> libraries;
  std::string contract;  ///< a file; empty: none
  bool strict = false;
  std::string timeout = "10s";

  void add_to(CLI::App& command);
  /// Adds only --impl, --load and --contract, for a command that runs no case.
  void add_names_to(CLI::App& command);
  /// Throws SetupError if a library is missing, or the contract is or cannot be read.
  WorkerCommand worker(std::vector<std::string> operators) const;
};

struct LedgerChoice {
  std::vector<std::string> files;
  bool none = false;

  void add_to(CLI::App& command);
  /// The entries of all named files, by default of corpus/ledger.toml. Throws SetupError.
  std::vector<LedgerEntry> read() const;
};

/// The corpus of this program: that of the installed tree, else the one in the source tree.
std::string corpus_folder();

}  // namespace indexfuzz
