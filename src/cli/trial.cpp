#include "cli/trial.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "campaign/last_line.h"
#include "cli/quantity.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> fuzz_arguments(const PlantedKernel& kernel, const TrialOptions& options) {
  const bool names_device = kernel.name.find('@') != std::string::npos;
  const std::string on = options.device.empty() || names_device ? "" : "@" + options.device;
  std::vector<std::string> arguments{"fuzz",       kernel.op,
                                     "--load",     options.plugin.string(),
                                     "--impl",     kernel.name + on,
                                     "--engine",   options.engine,
                                     "--jobs",     "1",
                                     "--seed",     std::to_string(options.seed),
                                     "--no-ledger"};
  const auto add = [&](std::initializer_list<std::string> more) {
    arguments.insert(arguments.end(), more);
  };
  if (kernel.correct) {
    add({"--cases", std::to_string(options.correct_cases)});
  } else {
    add({"--time", options.time, "--max-findings", "1"});
  }
  if (!kernel.timeout.empty()) add({"--timeout", kernel.timeout});
  if (!options.verify) add({"--no-verify"});
  return arguments;
}

/// The time after which a campaign that does not end by itself is killed: ten times what it should
/// take on the slowest machine, where a composite on a shared GPU takes 2 ms per case.
std::chrono::seconds limit_of(const PlantedKernel& kernel, const TrialOptions& options) {
  if (kernel.correct) return std::chrono::seconds(120 + options.correct_cases / 50);
  return std::chrono::ceil<std::chrono::seconds>(parse_duration(options.time)) +
         std::chrono::minutes(5);
}

std::optional<bool> flag(const nlohmann::json& value) {
  return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
}

}  // namespace

bool was_tried(const TrialResult& result) {
  constexpr int kConclusive[] = {0, 3, 77};
  return result.end.how == ProgramEnd::How::kExited &&
         std::ranges::find(kConclusive, result.end.code) != std::end(kConclusive);
}

bool caught(const TrialResult& result) {
  return !result.kind.empty() &&
         std::ranges::find(result.kernel->kinds, result.kind) != result.kernel->kinds.end() &&
         result.signature.find(result.kernel->blames) != std::string::npos;
}

bool is_small(const TrialResult& result) {
  return result.elements <= 2 * declared_elements(*result.kernel, result.kind);
}

bool silent(const TrialResult& result) {
  return result.end.is_success() && result.findings == 0 && result.cases > 0;
}

bool as_catalogued(const TrialResult& result) {
  if (result.kernel->correct) return silent(result);
  return caught(result) && result.repro_py.value_or(true) && result.repro_cpp.value_or(true);
}

std::optional<Reason> reason_of(const TrialResult& result) {
  if (as_catalogued(result)) return std::nullopt;
  for (const Reason reason :
       {Reason::kStorage, Reason::kSetup, Reason::kDevice, Reason::kInterrupted}) {
    if (result.end == ProgramEnd{ProgramEnd::How::kExited, exit_code({reason})}) return reason;
  }
  return Reason::kNew;
}

Trial::Trial(const PlantedKernel& kernel, const TrialOptions& options)
    : kernel_(kernel), folder_("indexfuzz-selftest") {
  std::vector<std::string> arguments = fuzz_arguments(kernel, options);
  if (!kernel.contract.empty()) {
    const fs::path file = folder_.path() / "contract.toml";
    std::ofstream(file) << kernel.contract;
    arguments.insert(arguments.end(), {"--contract", file.string()});
  }
  command_ = fmt::format("indexfuzz {}", fmt::join(arguments, " "));
  arguments.insert(arguments.begin(), fs::read_symlink("/proc/self/exe").string());
  arguments.insert(arguments.end(), {"--out", (folder_.path() / "out").string()});
  process_ = std::make_unique<Subprocess>(arguments, limit_of(kernel, options));
}

std::optional<TrialResult> Trial::poll() {
  const auto end = process_->poll();
  return end ? std::optional(read(*end)) : std::nullopt;
}

TrialResult Trial::read(const ProgramEnd& end) const {
  TrialResult result;
  result.kernel = &kernel_;
  result.end = end;
  result.command = command_;
  std::ifstream file(folder_.path() / "out" / "summary.json");
  const auto summary = nlohmann::json::parse(file, nullptr, false);
  if (!was_tried(result) || summary.is_discarded() || summary.value("state", "") != "done") {
    result.error = fmt::format("the campaign {}: {}", in_words(end), last_line(process_->output()));
    return result;
  }
  result.cases = summary.at("cases");
  for (const auto& implementation : summary.at("implementations")) {
    for (const auto& tally : implementation)
      result.triggered += tally.at("findings").get<std::uint64_t>();
  }
  result.seconds = summary.at("seconds");
  result.unconfirmed = summary.at("unconfirmed");
  result.findings = summary.at("findings").size();
  if (result.findings > 0) {
    const auto& first = summary.at("findings").front();
    result.kind = first.at("kind");
    result.first_seconds = first.at("first_seconds");
    result.elements = first.at("elements");
    result.repro_py = flag(first.at("repro_py_verified"));
    result.repro_cpp = flag(first.at("repro_cpp_verified"));
    result.signature = first.at("signature");
  } else if (!end.is_success()) {
    result.error = fmt::format("the campaign {}: {}", in_words(end), last_line(process_->output()));
  }
  return result;
}

}  // namespace indexfuzz
