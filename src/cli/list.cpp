#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "campaign/failure.h"
#include "case/strings/counted.h"
#include "cli/case_session.h"
#include "cli/commands.h"
#include "cli/names.h"
#include "cli/quantity.h"
#include "cli/under_test.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

using nlohmann::ordered_json;

struct Asked {
  std::string what;
  bool json = false;
  UnderTest under_test;
};

ordered_json list_operators() {
  ordered_json rows = ordered_json::array();
  for (const OperatorInfo* info : operators()) {
    std::vector<std::string> forms;  // ones that differ in name
    ordered_json overloads = ordered_json::array();
    for (const Overload& overload : info->overloads) {
      ordered_json variants = ordered_json::array();
      for (const Form& form : overload.forms) {
        variants.push_back(name(form.variant));
        const std::string written =
            fmt::format("aten::{}{}{}", form.aten_name, form.aten_overload.empty() ? "" : ".",
                        form.aten_overload);
        if (std::ranges::find(forms, written) == forms.end()) forms.push_back(written);
      }
      overloads.push_back({{"name", overload.name}, {"variants", variants}});
    }
    ordered_json rules = ordered_json::array();
    for (const IllegalRule& rule : info->rules) rules.push_back(rule.name);
    rows.push_back(
        {{"name", info->name}, {"overloads", overloads}, {"forms", forms}, {"illegal", rules}});
  }
  return rows;
}

ordered_json list_dtypes() {
  ordered_json rows = ordered_json::array();
  for (int i = 0; i < kDtypeCount; ++i) {
    const DtypeInfo& dtype = info(static_cast<Dtype>(i));
    rows.push_back({{"name", dtype.name}, {"bytes", dtype.size}});
  }
  return rows;
}

ordered_json list_implementations(const UnderTest& under_test) {
  CaseSession session(under_test.worker({}), false, parse_duration(under_test.timeout));
  ordered_json rows = ordered_json::array();
  for (const ImplementationInfo& implementation : session.hello().implementations) {
    ordered_json names = ordered_json::array();
    for (const OperatorInfo* info : operators()) {
      if (has_operator(implementation, info->number)) names.push_back(info->name);
    }
    rows.push_back({{"name", implementation.name}, {"operators", names}});
  }
  return rows;
}

std::vector<std::string> names_of(const ordered_json& row, const char* key) {
  return row.at(key).get<std::vector<std::string>>();
}

/// The few that are missing, rather than the many that there are.
std::string operators_in_words(const std::vector<std::string>& names) {
  std::vector<std::string> missing;
  for (const OperatorInfo* info : operators()) {
    if (std::ranges::find(names, info->name) == names.end()) missing.emplace_back(info->name);
  }
  if (missing.size() >= names.size()) return fmt::format("{}", fmt::join(names, " "));
  if (missing.empty()) return fmt::format("all {} operators", names.size());
  return fmt::format("all {} operators but {}", operators().size(), fmt::join(missing, " "));
}

void print_operators(const ordered_json& rows) {
  for (const auto& row : rows)
    fmt::print("{}: {}\n", row.at("name").get<std::string>(),
               fmt::join(names_of(row, "forms"), " "));
}

void print_implementations(const ordered_json& rows) {
  for (const auto& row : rows)
    fmt::print("{}: {}\n", row.at("name").get<std::string>(),
               operators_in_words(names_of(row, "operators")));
}

void print_dtypes(const ordered_json& rows) {
  for (const auto& row : rows)
    fmt::print("{}: {}\n", row.at("name").get<std::string>(),
               plural(row.at("bytes").get<std::uint64_t>(), "byte"));
}

struct Listing {
  std::string what;
  std::function<ordered_json()> rows;
  void (*print)(const ordered_json& rows);
};

int list(const Asked& asked) {
  const Listing listings[] = {
      {"operators", list_operators, print_operators},
      {"implementations", [&] { return list_implementations(asked.under_test); },
       print_implementations},
      {"dtypes", list_dtypes, print_dtypes},
  };
  const auto* const found = std::ranges::find(listings, asked.what, &Listing::what);
  if (found == std::end(listings)) {
    std::vector<std::string> names;
    for (const Listing& listing : listings) names.push_back(listing.what);
    throw SetupError(unknown_name("list of", asked.what, names));
  }
  const ordered_json rows = found->rows();
  if (asked.json) {
    fmt::print("{}\n", rows.dump(2));
  } else {
    found->print(rows);
  }
  if (!asked.under_test.libraries.empty() && asked.under_test.implementations.empty())
    fmt::print(stderr, "indexfuzz: --impl NAMESPACE lists the kernels of what --load loads.\n");
  return 0;
}

}  // namespace

void add_list(CLI::App& program, Run& run) {
  CLI::App* command = program.add_subcommand("list", "operators, implementations or dtypes");
  auto asked = std::make_shared<Asked>();
  command->add_option("WHAT", asked->what, "operators, implementations or dtypes")->required();
  command->add_flag("--json", asked->json, "print JSON");
  asked->under_test.add_names_to(*command);
  command->footer("Example:\n  indexfuzz list implementations --load ./libmine.so --impl mine");
  command->callback([asked, &run] { run = [asked] { return list(*asked); }; });
}

}  // namespace indexfuzz
