#include "cli/case_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "campaign/failure.h"
#include "campaign/store/bounded_read.h"
#include "campaign/store/durable.h"
#include "campaign/store/json_text.h"
#include "case/strings/printable.h"
#include "cli/quantity.h"
#include "ops/definition/operator.h"
#include "ops/expectation.h"
#include "reproduce/quoting.h"
#include "reproduce/values_code.h"
#include "reproduce/wrong_elements.h"

namespace indexfuzz {

namespace fs = std::filesystem;

void OneCase::add_to(CLI::App& command) {
  command.add_option("CASE", path, "a case file; of several cases in it, the last one counts")
      ->required();
  under_test.add_to(command);
}

CaseSession OneCase::session_for(const CaseFile& file) const {
  return {under_test.worker(operators_of({file})), under_test.strict,
          parse_duration(under_test.timeout)};
}

std::vector<Judged> judge_by_all(CaseSession& session, const CaseFile& file) {
  std::vector<Judged> judged;
  for (const std::uint32_t i : implementations_for(session.hello(), file.judged())) {
    Judged one{i, {}, {}};
    one.verdict = session.run(file, i, &one.returned);
    judged.push_back(one);
  }
  return judged;
}

std::string found_elsewhere(const CaseFile& file, const Hello& hello) {
  constexpr std::size_t kMostBytes = 1 << 20;
  const BoundedText beside = read_bounded(
      std::filesystem::path(file.path).parent_path() / "finding.json", kMostBytes, Links::kRefuse);
  const auto json = parse_json(beside.text);
  if (!json.is_object() || !json.contains("implementation") || !json["implementation"].is_string())
    return {};
  const std::string name = json["implementation"];
  const bool is_tested =
      std::ranges::find(hello.implementations, name, &ImplementationInfo::name) !=
      hello.implementations.end();
  if (is_tested) return {};
  const bool is_loaded = name.find("::") != std::string::npos;
  return fmt::format("it was found on {}, which is not tested here{}", printable(name),
                     is_loaded ? ": give --load and --impl" : "");
}

Judged first_failing(CaseSession& session, const CaseFile& file) {
  const std::vector<Judged> judged = judge_by_all(session, file);
  if (judged.empty()) {
    const std::string elsewhere = found_elsewhere(file, session.hello());
    throw SetupError(fmt::format("no implementation has the form that this case calls{}{}.",
                                 elsewhere.empty() ? "" : "; ", elsewhere));
  }
  for (const Judged& one : judged) {
    if (one.verdict.status == Status::kFinding) return one;
  }
  return judged.front();
}

std::string nothing_to(std::string_view verb, const OneCase& one, const std::string& passes,
                       const std::string& elsewhere) {
  return fmt::format("{}: nothing to {}, {}{}{}.", one.path, verb, passes,
                     elsewhere.empty() ? "" : "; ", elsewhere);
}

std::string in_words(const Judged& judged, const CaseFile& file, const Hello& hello) {
  return fmt::format("{} {}", hello.implementations[judged.implementation].name,
                     in_words(judged.verdict, file.judged()));
}

std::string in_words(const Verdict& verdict, const Case& c) {
  const std::string message = verdict.message.data();
  const std::string tail = message.empty() ? "" : ": " + message;
  switch (verdict.status) {
    case Status::kAgreed: return "agrees with the oracle";
    case Status::kVacuous: return "agrees, but there was no element to judge";
    case Status::kRefused: return "refused this legal case" + tail;
    case Status::kUnsupported: return "does not support this case" + tail;
    case Status::kFinding: {
      const std::string elements = wrong_elements(verdict, c);
      return fmt::format("FAILS, {}{}{}{}", name(verdict.kind), tail, elements.empty() ? "" : ": ",
                         elements);
    }
  }
  return "";
}

std::string returned_in_words(const Judged& judged, const Case& c) {
  const ReturnedElements& returned = judged.returned;
  if (returned.bytes == 0) return "";
  const std::span<const std::byte> elements(returned.elements, returned.bytes);
  const Dims shape(returned.sizes, returned.sizes + returned.rank);
  const Expectation expected = expectation(c);
  if (!expected.must_refuse && returned.dtype == expected.result.dtype &&
      shape == expected.result.shape && std::ranges::equal(elements, expected.values))
    return "";
  return fmt::format("{} {}  {}", info(returned.dtype).name, python_tuple(shape),
                     values_text(returned.dtype, shape, elements));
}

}  // namespace indexfuzz
