#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "campaign/failure.h"
#include "cli/case_session.h"
#include "cli/commands.h"
#include "cli/names.h"
#include "cli/quantity.h"
#include "cli/under_test.h"
#include "ops/operator.h"

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
    ordered_json forms = ordered_json::array(), overloads = ordered_json::array();
    for (const Overload& overload : info->overloads) {
      ordered_json variants = ordered_json::array();
      for (const Form& form : overload.forms) {
        variants.push_back(name(form.variant));
        forms.push_back(fmt::format("aten::{}{}{}", form.aten_name,
                                    form.aten_overload.empty() ? "" : ".", form.aten_overload));
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

void print_plain(const ordered_json& rows) {
  for (const auto& row : rows) {
    std::string line = row.at("name").get<std::string>();
    for (const auto& [key, value] : row.items()) {
      if (key == "name") continue;
      if (!value.is_array()) {
        line += fmt::format("  {} {}", value.dump(), key);
      } else if (key != "illegal" && key != "overloads") {
        line += ":";
        for (const auto& item : value) line += " " + item.get<std::string>();
      }
    }
    fmt::print("{}\n", line);
  }
}

int list(const Asked& asked) {
  const std::vector<std::string> kinds{"operators", "implementations", "dtypes"};
  if (std::ranges::find(kinds, asked.what) == kinds.end()) {
    throw SetupError(unknown_name("list of", asked.what, kinds));
  }
  const ordered_json rows = asked.what == "operators" ? list_operators()
                            : asked.what == "dtypes"  ? list_dtypes()
                                                      : list_implementations(asked.under_test);
  if (asked.json) {
    fmt::print("{}\n", rows.dump(2));
  } else {
    print_plain(rows);
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
