#pragma once
// The options that say what is tested: --impl, --load, --ledger and the like, shared by the
// subcommands.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "campaign/store/ledger.h"
#include "campaign/workers/zygote_client.h"

namespace indexfuzz {

struct UnderTest {
  std::vector<std::string> implementations;
  std::vector<std::string> libraries;
  bool strict = false;
  std::string timeout = "10s";

  void add_to(CLI::App& command);
  /// --impl and --load alone, where no case is run.
  void add_names_to(CLI::App& command);
  /// Throws SetupError for a library that is missing, and for a time that is none.
  WorkerCommand worker(std::vector<std::string> operators) const;
};

struct LedgerChoice {
  std::vector<std::string> files;
  bool none = false;

  void add_to(CLI::App& command);
  /// The entries of all files; of corpus/ledger.toml where none is named. Throws SetupError.
  std::vector<LedgerEntry> read() const;
};

/// The corpus that came with this program: beside an installed one, else the one it was built with.
std::string corpus_folder();

}  // namespace indexfuzz
