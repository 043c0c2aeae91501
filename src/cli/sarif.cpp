#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "campaign/store/json_text.h"
#include "cli/replayed.h"
#include "indexfuzz_config.h"
#include "ops/definition/illegal_rule.h"

namespace indexfuzz {
namespace {

using nlohmann::ordered_json;

struct Rule {
  const char *id, *level, *text;
};

/// Null for an outcome that SARIF does not report.
const Rule* rule_of(Replayed::Outcome outcome) {
  static constexpr Rule kFailure{"failure", "error",
                                 "An implementation does not agree with the oracle."};
  static constexpr Rule kFixed{"fixed", "warning",
                               "A failure that the ledger lists does not show any more."};
  static constexpr Rule kUnreadable{"unreadable", "error", "A case file cannot be read."};
  switch (outcome) {
    case Replayed::Outcome::kKnown:
    case Replayed::Outcome::kFailed: return &kFailure;
    case Replayed::Outcome::kFixed: return &kFixed;
    case Replayed::Outcome::kUnreadable: return &kUnreadable;
    case Replayed::Outcome::kPassed:
    case Replayed::Outcome::kSkipped: return nullptr;
  }
  return nullptr;
}

/// A path as a URI (RFC 3986).
std::string uri(std::string_view path) {
  std::string text = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

ordered_json result_json(const Replayed& result, const Rule& rule) {
  const std::string where =
      result.implementation.empty() ? "" : fmt::format("{}: ", result.implementation);
  ordered_json location{{"physicalLocation", {{"artifactLocation", {{"uri", uri(result.file)}}}}}};
  ordered_json json{{"ruleId", rule.id},
                    {"level", rule.level},
                    {"message", {{"text", where + result.text}}},
                    {"locations", ordered_json::array({location})}};
  if (!result.signature.empty()) json["partialFingerprints"] = {{"signature/v1", result.signature}};
  if (result.outcome == Replayed::Outcome::kKnown) {
    json["suppressions"] =
        ordered_json::array({{{"kind", "external"}, {"justification", result.reason}}});
  }
  return json;
}

}  // namespace

std::string sarif_text(const std::vector<Replayed>& results) {
  ordered_json rows = ordered_json::array();
  ordered_json rules = ordered_json::array();
  for (const auto outcome :
       {Replayed::Outcome::kFailed, Replayed::Outcome::kFixed, Replayed::Outcome::kUnreadable}) {
    const Rule& rule = *rule_of(outcome);
    rules.push_back({{"id", rule.id}, {"shortDescription", {{"text", rule.text}}}});
  }
  for (const Replayed& result : results) {
    if (const Rule* rule = rule_of(result.outcome)) rows.push_back(result_json(result, *rule));
  }
  const ordered_json driver{{"name", "indexfuzz"}, {"version", config::kVersion}, {"rules", rules}};
  const ordered_json run{{"tool", {{"driver", driver}}}, {"results", rows}};
  const ordered_json sarif{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                           {"version", "2.1.0"},
                           {"runs", ordered_json::array({run})}};
  return json_text(sarif);
}

}  // namespace indexfuzz
