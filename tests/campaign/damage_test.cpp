// Mutated files through every reader: no crash, and what is intact is read as before. How often is
// INDEXFUZZ_MUTATIONS, which scripts/stress/damage sets; it also looks at the slowest reading.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "../cli/command.h"
#include "campaign/failure.h"
#include "campaign/store/case_file.h"
#include "campaign/store/corpus.h"
#include "campaign/store/json_text.h"
#include "campaign/store/ledger.h"
#include "campaign/store/merge.h"
#include "case/bytes.h"
#include "draw/draw.h"
#include "indexfuzz_config.h"
#include "ops/contract/parse_contract.h"
#include "ops/repair/repair.h"
#include "ops/text/case_text.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

int mutations() {
  const char* asked = getenv("INDEXFUZZ_MUTATIONS");
  return asked != nullptr ? std::atoi(asked) : 3000;
}

/// One to eight changes: bytes flipped, overwritten, doubled, cut, moved, joined from another text.
std::string mutated(std::string text, const std::vector<std::string>& others,
                    std::mt19937& random) {
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound == 0 ? 0 : bound - 1)(random);
  };
  for (std::size_t changes = 1 + below(8); changes > 0; --changes) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(below(64), text.size() - at);
    switch (below(8)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 2: text.erase(at, length); break;
      case 3: text.insert(below(text.size() + 1), text.substr(at, length)); break;
      case 4: text.resize(at); break;
      case 5: {
        const std::string& other = others[below(others.size())];
        text.insert(at, other.substr(below(other.size() + 1), below(200)));
        break;
      }
      case 6:
        text.insert(at, std::to_string(static_cast<std::int64_t>(random()) << below(33)));
        break;
      case 7: text.insert(at, std::string(below(20000), static_cast<char>(below(256)))); break;
    }
  }
  return text;
}

std::vector<std::string> texts_below(const fs::path& folder, const std::string& extension) {
  std::set<fs::path> files;  // in an order that no file system decides
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.insert(entry.path());
  }
  std::vector<std::string> texts;
  for (const fs::path& file : files) texts.push_back(read_text(file));
  return texts;
}

/// Reads `mutations()` mutations, and after each tenth an intact text, which must give `read` the
/// same as before.
void damage(const std::vector<std::string>& texts,
            const std::function<std::string(const std::string&)>& read) {
  ASSERT_FALSE(texts.empty());
  std::vector<std::string> intact;
  for (const std::string& text : texts) intact.push_back(read(text));
  std::mt19937 random(1);
  Clock::duration slowest{};
  for (int i = 0; i < mutations(); ++i) {
    const std::size_t chosen = random() % texts.size();
    const std::string text = mutated(texts[chosen], texts, random);
    const auto began = Clock::now();
    read(text);
    slowest = std::max(slowest, Clock::now() - began);
    if (i % 10 == 0) {
      ASSERT_EQ(read(texts[chosen]), intact[chosen]);
    }
  }
  const double milliseconds = std::chrono::duration<double, std::milli>(slowest).count();
  std::printf("%d mutations of %zu texts, slowest reading %.1f ms\n", mutations(), texts.size(),
              milliseconds);
}

fs::path corpus_folder() {
  return fs::path(config::kSourceDir) / "corpus";
}

std::string text_of(const std::vector<Case>& cases) {
  std::string text;
  for (const Case& c : cases) text += to_text(c);
  return text;
}

TEST(Damage, CaseTextIsReadOrRefused) {
  damage(texts_below(corpus_folder(), ".case"), [](const std::string& text) {
    const ParsedCases parsed = parse_cases(text);
    EXPECT_NE(parsed.error.empty(), parsed.cases.empty());
    return text_of(parsed.cases);
  });
}

TEST(Damage, AContractIsReadOrRefusedAndCasesStayLegalUnderIt) {
  damage({read_text(corpus_folder() / "contract.toml")}, [](const std::string& text) {
    const ParsedContract parsed = parse_contract(text, "c.toml", operators());
    if (!parsed.error.empty()) return parsed.error;
    std::string drawn;
    for (std::uint64_t number = 0; number < 20; ++number) {
      Case c;
      draw_case(1, 0, number * kOperatorTurn, all_targets(), {.contract = &parsed.contract}, c);
      EXPECT_EQ(why_illegal(c), "");
      drawn += to_text(c);
    }
    return drawn;
  });
}

TEST(Damage, AnyBytesDecodeToALegalCase) {
  std::vector<std::string> encoded;
  for (const std::string& text : texts_below(corpus_folder(), ".case")) {
    std::string bytes(kEncodedBytes, '\0');
    encode(parse_cases(text).cases.back(), reinterpret_cast<std::byte*>(bytes.data()));
    encoded.push_back(bytes);
  }
  damage(encoded, [](const std::string& bytes) {
    Case c = decode(std::as_bytes(std::span(bytes.data(), bytes.size())));
    repair(c, Limits{});
    EXPECT_EQ(why_illegal(c), "");
    return to_text(c);
  });
}

TEST(Damage, IntactFilesOfACorpusFolderAreRead) {
  const Scratch scratch;
  fs::create_directory(scratch / "c");
  scratch.write("c/good.case", read_text(corpus_folder() / "seeds/gather/scalars.case"));
  damage(texts_below(corpus_folder(), ".case"), [&](const std::string& text) {
    // Some file systems flush a file that was emptied before it was written.
    fs::remove(scratch / "c/other.case");
    std::ofstream(scratch / "c/other.case", std::ios::binary) << text;
    const Corpus corpus = read_corpus({scratch / "c"});
    EXPECT_EQ(corpus.files.size() + corpus.aside.size(), 2u);
    EXPECT_EQ(corpus.files.empty() ? "" : corpus.files[0].path.filename(), "good.case");
    return corpus.files.size() == 2 ? text_of(corpus.files[1].cases) : "";
  });
}

/// The beginning of ours, as long as a ledger of one's own kernels may be.
std::string short_ledger() {
  const std::string all = read_text(corpus_folder() / "ledger.toml");
  std::size_t end = 0;
  for (int entries = 0; entries <= 40; ++entries) end = all.find("[[finding]]", end + 1);
  return all.substr(0, end);
}

TEST(Damage, LedgersAreReadOrRefused) {
  damage({short_ledger()}, [](const std::string& text) -> std::string {
    try {
      std::string all;
      for (const LedgerEntry& entry : parse_ledger(text, corpus_folder() / "ledger.toml"))
        all += entry.signature + entry.torch + entry.reason;
      return all;
    } catch (const SetupError&) {
      return "";
    }
  });
}

constexpr const char* kSummary = R"({"format": 1, "state": "done", "seconds": 61.2, "cases": 42,
  "cases_per_second": 6.5, "exit_code": 77, "reasons": ["new"], "seed": 7, "torch": "2.11.0",
  "mix": {"drawn": 50, "empty": 0.06, "median_elements": 31},
  "implementations": {"aten:cpu": {"gather": {"agreed": 40, "refused": 2, "findings": 1}}},
  "steered": {"cases": 3, "share": 0.07}, "unconfirmed": 0, "worker_deaths": 1,
  "findings": [{"id": "abc", "signature": "s", "known": false, "reruns": "10/10", "elements": 4,
                "first_seconds": 3.1}]})";

TEST(Damage, SummariesAreReadOrRefused) {
  damage({kSummary, kSummary}, [](const std::string& text) -> std::string {
    try {
      return merge_summaries({parse_summary(text, "a"), parse_summary(kSummary, "b")}).dump();
    } catch (const SetupError&) {
      return "";
    } catch (const nlohmann::ordered_json::exception&) {
      return "";
    }
  });
}

std::string nested(std::string_view open, std::string_view close, int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(Damage, JsonThatNestsDeeplyIsRefused) {
  constexpr int kDeep = 200'000;
  const std::vector<std::string> deep{nested("[", "]", kDeep), nested("[", "", kDeep),
                                      nested("{\"a\":[", "]}", kDeep), nested("[[],", "0]", kDeep)};
  for (const std::string& text : deep) {
    EXPECT_TRUE(parse_json(text).is_discarded());
    for (const char* const field : {"findings", "implementations", "mix", "other"}) {
      const std::string summary = R"({"format": 1, ")" + std::string(field) + "\": " + text + "}";
      EXPECT_THROW(parse_summary(summary, "s"), SetupError) << field;
    }
  }
  EXPECT_EQ(parse_json(nested("[", "]", 60)).dump(), nested("[", "]", 60));
  EXPECT_EQ(parse_json(kSummary).size(), 15u);
}

}  // namespace
}  // namespace indexfuzz
