#include "campaign/examine/finding.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "campaign/store/json_text.h"
#include "indexfuzz_config.h"
#include "ops/definition/operator.h"
#include "ops/text/case_text.h"

namespace indexfuzz {
namespace {

nlohmann::json json_of(Verified verified) {
  switch (verified) {
    case Verified::kFails: return true;
    case Verified::kPasses:
    case Verified::kEndsOtherwise: return false;
    case Verified::kNotRun:
    case Verified::kCannotRun:
    case Verified::kCannotTell: return nullptr;
  }
  return nullptr;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

/// The name of the GPU that an implementation is on; null on the CPU.
nlohmann::ordered_json gpu_of(const ImplementationInfo& implementation, const Hello& hello) {
  if (!implementation.on_gpu()) return nullptr;
  const auto number = static_cast<std::size_t>(implementation.gpu());
  return number < hello.gpus.size() ? hello.gpus[number] : "";
}

nlohmann::ordered_json machine(const ImplementationInfo& implementation, const Hello& hello) {
  utsname system{};
  uname(&system);
  return {{"system", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
          {"cpu", cpu_model()},
          {"cores", std::thread::hardware_concurrency()},
          {"gpu", gpu_of(implementation, hello)}};
}

/// "3/10".
std::string fraction(const Reruns& reruns) {
  return fmt::format("{}/{}", reruns.failed, reruns.runs);
}

std::string text_of(std::vector<Case> before, const Case& judged) {
  before.push_back(judged);
  return to_text(before);
}

}  // namespace

bool shows_by_chance(const Finding& finding) {
  return finding.reruns.is_intermittent() && !may_be_the_machine(finding.verdict.kind);
}

bool withdrawn(const Finding& finding) {
  const auto any = [&](Verified what) {
    return finding.repro_py == what || finding.repro_cpp == what;
  };
  return any(Verified::kPasses) && !any(Verified::kFails) && !shows_by_chance(finding);
}

bool is_new(const Finding& finding) {
  return !finding.known && !withdrawn(finding);
}

bool fails_alike(const Finding& finding, const Verdict& other, std::string_view name) {
  return other.status == Status::kFinding && shrink_key(finding.minimal, other, name) ==
                                                 shrink_key(finding.minimal, finding.verdict, name);
}

std::int64_t least_elements(const Finding& finding) {
  const bool is_minimal = !finding.reruns.is_intermittent();
  return finding.essential.empty() && is_minimal ? total_elements(finding.minimal) : 0;
}

CallSite call_site(const ImplementationInfo& implementation, const Case& c,
                   const std::vector<std::string>& libraries) {
  CallSite call;
  call.implementation = implementation.name;
  call.custom = implementation.custom;
  call.device = implementation.device;
  if (implementation.custom) call.libraries = libraries;
  if (const Form* form = form_of(c)) {
    call.python = form->python;
    call.cpp = form->cpp;
  }
  const ImplementationForm* own = form_for(implementation, c);
  // Composites, gradients and batches are written in Python only.
  if (own != nullptr && !own->python.empty()) {
    call.python = own->python;
    call.cpp = own->cpp;
  }
  return call;
}

Reproduction reproduction(const Finding& finding, const Hello& hello,
                          const std::vector<std::string>& libraries) {
  const ImplementationInfo& implementation = hello.implementations[finding.implementation];
  CallSite judged = call_site(implementation, finding.minimal, libraries);
  if (judged.custom) judged.python_libraries = hello.python_libraries;
  std::vector<EarlierCall> before;
  for (const Case& c : finding.before) {
    const ImplementationInfo* const caller = caller_before(hello, finding.implementation, c);
    if (caller == nullptr) continue;  // no implementation was called on it
    const CallSite site = call_site(*caller, c, libraries);
    // A custom kernel is called on the legal base of an illegal case first.
    if (implementation.custom && c.breaks != 0) {
      before.push_back({c, site});
      before.back().c.breaks = 0;
    }
    before.push_back({c, site});
  }
  return {finding.minimal, finding.verdict, std::move(judged), finding.signature.text,
          hello.torch,     finding.reruns,  std::move(before), finding.aten_reason};
}

std::map<std::string, std::string> finding_files(const Finding& finding, const Hello& hello,
                                                 const std::vector<std::string>& libraries) {
  const Reproduction r = reproduction(finding, hello, libraries);
  return {{"minimal.case", text_of(finding.before, finding.minimal)},
          {"original.case", text_of(finding.original_before, finding.original)},
          {"repro.py", python_program(r)},
          {"repro.cpp", cpp_program(r)},
          {"issue.md", issue_text(r)},
          {"finding.json", json_text(finding_json(finding, hello))}};
}

nlohmann::ordered_json verified_json(const Finding& finding) {
  return {{"withdrawn", withdrawn(finding)},
          {"repro_py_verified", json_of(finding.repro_py)},
          {"repro_cpp_verified", json_of(finding.repro_cpp)}};
}

nlohmann::ordered_json finding_json(const Finding& finding, const Hello& hello) {
  const Case& c = finding.minimal;
  nlohmann::ordered_json json{
      {"format", 1},
      {"id", finding.signature.id},
      {"signature", finding.signature.text},
      {"kind", name(finding.verdict.kind)},
      {"message", finding.verdict.message.data()},
      {"operator", operator_of(c).name},
      {"overload", overload_of(c).name},
      {"variant", name(c.variant)},
      {"implementation", hello.implementations[finding.implementation].name},
      {"known", finding.known},
      {"reason", finding.reason},
      {"aten_reason", finding.aten_reason},
      {"reruns", fraction(finding.reruns)},
      {"intermittent", finding.reruns.is_intermittent()},
      {"elements", total_elements(c)},
      {"cases_before", finding.before.size()},
      {"first_seconds", finding.first_seconds},
      {"found_by",
       {{"engine", name(finding.engine)},
        {"seed", finding.seed},
        {"worker", finding.worker},
        {"case", finding.case_number}}},
      {"versions", {{"indexfuzz", config::kVersion}, {"torch", hello.torch}}},
      {"machine", machine(hello.implementations[finding.implementation], hello)}};
  json.update(verified_json(finding));
  return json;
}

nlohmann::ordered_json summary_row(const Finding& finding, const Hello& hello) {
  return {{"id", finding.signature.id},
          {"signature", finding.signature.text},
          {"operator", operator_of(finding.minimal).name},
          {"implementation", hello.implementations[finding.implementation].name},
          {"kind", name(finding.verdict.kind)},
          {"known", finding.known},
          {"withdrawn", withdrawn(finding)},
          {"reruns", fraction(finding.reruns)},
          {"elements", total_elements(finding.minimal)},
          {"first_seconds", finding.first_seconds},
          {"case", fmt::format("findings/{}/minimal.case", finding.signature.id)},
          {"repro_py_verified", json_of(finding.repro_py)},
          {"repro_cpp_verified", json_of(finding.repro_cpp)}};
}

}  // namespace indexfuzz
