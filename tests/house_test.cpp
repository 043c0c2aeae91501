// Rules of the house that no compiler checks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "indexfuzz_config.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

struct Include {
  std::string file;    ///< "src/judge/judge.cpp"
  std::string folder;  ///< "judge"
  std::string path;    ///< "ops/odometer.h"
};

std::vector<Include> includes() {
  std::vector<Include> found;
  const fs::path root = config::kSourceDir;
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cpp" && extension != ".cu" && extension != ".cuh")
      continue;
    const fs::path relative = fs::relative(entry.path(), root / "src");
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("#include")) continue;
      const std::size_t begin = line.find_first_of("<\"") + 1;
      found.push_back({"src/" + relative.string(), relative.begin()->string(),
                       line.substr(begin, line.find_first_of(">\"", begin) - begin)});
    }
  }
  return found;
}

std::string first_part(const std::string& path) {
  return path.substr(0, path.find('/'));
}

TEST(House, AFolderIncludesOnlyFoldersAboveIt) {
  const std::vector<std::string> order{"case", "ops",    "draw",      "memory",   "judge",
                                       "run",  "shrink", "reproduce", "campaign", "cli"};
  int seen = 0;
  for (const Include& include : includes()) {
    const auto to = std::ranges::find(order, first_part(include.path));
    if (to == order.end() || include.path.find('/') == std::string::npos) continue;
    const auto from = std::ranges::find(order, include.folder);
    ASSERT_NE(from, order.end()) << include.file << " includes " << include.path;
    EXPECT_LE(to - order.begin(), from - order.begin())
        << include.file << " includes " << include.path;
    ++seen;
  }
  EXPECT_GT(seen, 200);
}

/// Header and source as one: "campaign/hello" of "campaign/hello.h".
std::string unit_of(const std::string& path) {
  return path.substr(0, path.rfind('.'));
}

/// "store" of "campaign/store/ledger"; empty for what stands directly in a top folder.
std::string sub_folder_of(const std::string& unit) {
  const std::size_t begin = unit.find('/') + 1, end = unit.find('/', begin);
  return end == std::string::npos ? "" : unit.substr(begin, end - begin);
}

using Units = std::map<std::string, std::set<std::string>>;

/// Adds to `reached` the unit and what it includes, directly or by way of others.
void reach(const Units& included, const std::string& unit, std::set<std::string>& reached) {
  const auto found = included.find(unit);
  if (!reached.insert(unit).second || found == included.end()) return;
  for (const std::string& next : found->second) reach(included, next, reached);
}

// ops/: what an operator is; ways to break a rule; numbers; what operands hold; legality; what
// operators of a kind share; the form that people read. campaign/: what workers counted; files; the
// processes that run cases; how many of them share a GPU; stand-alone programs and tools; what is
// found by all of these. run/: what the supervisor knows, too; native coverage; the coverage
// engine; the process that calls; a call; what a GPU does for a worker, and how; what a worker
// holds; cases on the CPU; cases on GPUs; jobs; the processes that carry them out. What stands
// directly in the folders is as high as the highest sub-folder that it includes, and may be
// included from there on.
TEST(House, ASubFolderIncludesOnlyThoseBeforeIt) {
  const std::map<std::string, std::vector<std::string>> orders{
      {"ops",
       {"definition", "illegal", "numbers", "fills", "contract", "repair", "families", "text"}},
      {"campaign", {"counts", "store", "workers", "gpu", "programs", "examine"}},
      {"run",
       {"shared", "native", "coverage", "watch", "call", "device", "cuda", "session", "host", "gpu",
        "jobs", "process"}}};
  Units included;
  for (const Include& include : includes()) {
    if (orders.contains(include.folder) && first_part(include.path) == include.folder)
      included[unit_of(include.file.substr(4))].insert(unit_of(include.path));
  }
  int seen = 0;
  for (const auto& [from, direct] : included) {
    const std::vector<std::string>& order = orders.at(first_part(from));
    const auto place = [&](const std::string& unit) {
      return std::ranges::find(order, sub_folder_of(unit)) - order.begin();
    };
    if (sub_folder_of(from).empty()) continue;
    ASSERT_LT(place(from), std::ssize(order)) << from;
    std::set<std::string> reached;
    reach(included, from, reached);
    for (const std::string& to : reached) {
      if (sub_folder_of(to).empty()) continue;
      EXPECT_LE(place(to), place(from)) << from << " comes to include " << to;
      ++seen;
    }
  }
  EXPECT_GT(seen, 200);
}

TEST(House, OnlyRunAndThePluginsSeeTorch) {
  const std::set<std::string> torch{"torch", "ATen", "c10", "caffe2"},
      allowed{"run", "planted", "kernels"};
  int seen = 0;
  for (const Include& include : includes()) {
    if (!torch.contains(first_part(include.path))) continue;
    EXPECT_TRUE(allowed.contains(include.folder)) << include.file << " includes " << include.path;
    EXPECT_NE(include.file, "src/run/shared/protocol.h");
    ++seen;
  }
  EXPECT_GT(seen, 10);
}

TEST(House, OfRunOnlyWhatBothProgramsShareIsKnownOutside) {
  const auto is_shared = [](const std::string& path) { return path.starts_with("run/shared/"); };
  int seen = 0;
  for (const Include& include : includes()) {
    if (first_part(include.path) != "run") continue;
    if (include.folder == "run" && !include.file.starts_with("src/run/shared/")) continue;
    EXPECT_TRUE(is_shared(include.path)) << include.file << " includes " << include.path;
    ++seen;
  }
  EXPECT_GT(seen, 20);
}

TEST(House, TwoHeadersNeverDefineTypesOfOneName) {
  // Both would be indexfuzz::NAME, which no compiler and no linker complains about.
  const std::regex definition(R"(^(?:struct|class|enum class) (?:alignas\([^)]*\) )?(\w+).*\{.*)");
  std::map<std::string, std::string> headers;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(config::kSourceDir) / "src")) {
    const std::string path = fs::relative(entry.path(), config::kSourceDir).string();
    if (entry.path().extension() != ".h" || path.starts_with("src/planted/") ||
        path.starts_with("src/kernels/"))
      continue;
    if (path.ends_with("_parts.h") && path.starts_with("src/reproduce/"))
      continue;  // programs' text
    std::ifstream file(entry.path());
    std::smatch found;
    for (std::string line; std::getline(file, line);) {
      if (!std::regex_match(line, found, definition)) continue;
      const auto [first, is_new] = headers.emplace(found[1], path);
      EXPECT_TRUE(is_new) << found[1] << " is in " << first->second << " and in " << path;
    }
  }
  EXPECT_GT(headers.size(), 200u);
}

TEST(House, ThePluginsIncludeNothingOfOurs) {
  int seen = 0;
  for (const Include& include : includes()) {
    if (include.folder != "planted" && include.folder != "kernels") continue;
    ++seen;
    EXPECT_FALSE(fs::exists(fs::path(config::kSourceDir) / "src" / include.path) &&
                 first_part(include.path) != include.folder)
        << include.file << " includes " << include.path;
  }
  EXPECT_GT(seen, 200);
}

TEST(House, EveryOperatorRegistersItself) {
  // One file, one row: those that define the row's object.
  int files = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(config::kSourceDir) / "src" / "ops")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    files += text.find("const RegisterOperator ") != std::string::npos;
  }
  EXPECT_EQ(static_cast<int>(operators().size()), files);
  std::set<int> numbers;
  for (const OperatorInfo* row : operators()) numbers.insert(row->number);
  EXPECT_EQ(numbers.size(), operators().size());
  EXPECT_TRUE(std::ranges::is_sorted(operators(), {}, &OperatorInfo::name));
}

TEST(House, NumbersOfRulesAndNamesAreUniqueWithinTheirOperator) {
  for (const OperatorInfo* row : operators()) {
    std::set<int> numbers;
    std::set<std::string_view> names;
    for (const IllegalRule& rule : row->rules) {
      EXPECT_GT(rule.number, 0);
      EXPECT_TRUE(numbers.insert(rule.number).second && names.insert(rule.name).second)
          << rule.name;
    }
  }
}

}  // namespace
}  // namespace indexfuzz
