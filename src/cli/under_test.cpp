#include "cli/under_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>

#include "campaign/failure.h"
#include "campaign/store/contract_file.h"
#include "indexfuzz_config.h"
#include "run/shared/program_folder.h"

namespace indexfuzz {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kOwnLibrary = "libindexfuzz_kernels.so";

/// The library of indexfuzz's own kernels; empty if it does not exist.
std::string own_library() {
  const fs::path self = program_folder();
  return first_file({self / "../lib/indexfuzz" / kOwnLibrary, self / kOwnLibrary}).string();
}

/// Whether indexfuzz's own kernels are under test: without --impl, or if one names them.
bool wants_own_kernels(const UnderTest& under_test) {
  const auto& chosen = under_test.implementations;
  const auto is_own = [](const std::string& name) {
    return name == "indexfuzz" || name.starts_with("indexfuzz::") || name.starts_with("indexfuzz@");
  };
  return chosen.empty() || std::ranges::any_of(chosen, is_own);
}

}  // namespace

void UnderTest::add_names_to(CLI::App& command) {
  command
      .add_option(
          "--impl", implementations,
          "an implementation to test: aten:cpu; mine::gather; mine::gather@cuda, which is its GPU "
          "side alone; mine, a whole namespace; gradient:mine::gather, the gradient that it "
          "registers, as what it computes, scatter_add; vmap:mine::gather, its batching rule; "
          "aten:meta and mine::gather@meta, what they say of results without data; may "
          "be repeated")
      ->type_name("IMPL")
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option(
          "--load", libraries,
          "a library that registers operators with PyTorch, a Python extension, or a Python "
          "file (mine.py), which is imported by the Python that `doctor` names; may be repeated")
      ->type_name("LIB")
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option(
          "--contract", contract,
          "a TOML file that says what your kernels promise less of than ATen, such as dtypes, "
          "sizes and strides; they are called with nothing else. corpus/contract.toml, or in an "
          "install share/indexfuzz/corpus/contract.toml, explains it")
      ->type_name("FILE");
}

void UnderTest::add_to(CLI::App& command) {
  add_names_to(command);
  command.add_flag(
      "--strict", strict,
      "report it as a finding if a custom kernel refuses a legal case; with --max-findings, "
      "--legal-only leaves the findings to legal cases");
  command
      .add_option("--timeout", timeout,
                  "time limit for one case; a case that exceeds it counts as a hang")
      ->type_name("TIME")
      ->capture_default_str();
}

WorkerCommand UnderTest::worker(std::vector<std::string> operators) const {
  WorkerCommand command;
  command.executable = find_worker_executable();
  command.implementations = implementations;
  command.operators = std::move(operators);
  for (const std::string& library : libraries) {
    std::error_code error;
    if (!fs::is_regular_file(library, error)) {
      throw SetupError(fmt::format(
          "{}: {}; --load takes the path of a shared library or a "
          "Python file that registers operators.",
          library,
          fs::is_directory(library, error) ? "this is a folder" : "there is no such file"));
    }
    command.libraries.push_back(fs::canonical(library).string());
  }
  if (!contract.empty()) {
    command.contract =
        std::make_shared<const ContractFile>(read_contract(contract, command.operators));
  }
  const bool named = std::ranges::any_of(
      libraries, [](const fs::path& library) { return library.filename() == kOwnLibrary; });
  if (wants_own_kernels(*this) && !named) {
    if (std::string own = own_library(); !own.empty()) command.libraries.push_back(std::move(own));
  }
  return command;
}

void LedgerChoice::add_to(CLI::App& command) {
  command
      .add_option("--ledger", files,
                  "file of known findings, in place of corpus/ledger.toml; may be repeated")
      ->type_name("FILE")
      ->take_all()
      ->allow_extra_args(false);
  command.add_flag("--no-ledger", none, "treat no finding as known");
}

std::vector<LedgerEntry> LedgerChoice::read() const {
  if (none) return {};
  std::vector<std::string> chosen = files;
  if (chosen.empty()) {
    const fs::path file = fs::path(corpus_folder()) / "ledger.toml";
    std::error_code error;
    if (fs::exists(file, error)) chosen.push_back(file.string());
  }
  std::vector<LedgerEntry> ledger;
  for (const std::string& file : chosen) {
    for (LedgerEntry& entry : read_ledger(file)) ledger.push_back(std::move(entry));
  }
  return ledger;
}

std::string corpus_folder() {
  std::error_code error;
  const fs::path installed = (program_folder() / "../share/indexfuzz/corpus").lexically_normal();
  return fs::is_directory(installed, error) ? installed.string() : config::kCorpusDir;
}

}  // namespace indexfuzz
