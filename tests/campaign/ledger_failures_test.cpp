#include "campaign/examine/ledger_failures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "../cli/command.h"
#include "campaign/failure.h"
#include "indexfuzz_config.h"
#include "run/shared/shared_failures.h"

namespace indexfuzz {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kSignature =
    "gather on aten:cpu: value; when index is expanded, index names more than position 0, index is "
    "int32";

Hello hello_of(const std::set<std::string>& names) {
  Hello hello;
  hello.torch = "2.11.0";
  for (const std::string& name : names) hello.implementations.emplace_back().name = name;
  return hello;
}

const std::vector<LedgerEntry>& shipped() {
  static const auto ledger = read_ledger(std::filesystem::path(config::kCorpusDir) / "ledger.toml");
  return ledger;
}

/// "aten:cpu" of "gather on aten:cpu: value".
std::string implementation_of(const std::string& signature) {
  const std::size_t begin = signature.find(" on ") + 4;
  return signature.substr(begin, signature.find(": ", begin) - begin);
}

TEST(LedgerFailures, EveryShippedEntryIsToldByItsCase) {
  std::set<std::string> names;
  for (const LedgerEntry& entry : shipped()) names.insert(implementation_of(entry.signature));
  std::set<std::string> told;
  for (const LedgerFailure& failure : ledger_failures(shipped(), hello_of(names))) {
    told.insert(failure.entry->signature);
    const std::string own = implementation_of(failure.signature.text);
    const std::string listed = implementation_of(failure.entry->signature);
    EXPECT_THAT(listed_names(own), testing::Contains(listed));
    std::string text = failure.signature.text;
    EXPECT_EQ(text.replace(text.find(own), own.size(), listed), failure.entry->signature);
    EXPECT_TRUE(includes(traits(failure.minimal), failure.essential));
  }
  for (const LedgerEntry& entry : shipped()) {
    if (applies(entry, "2.11.0", device_of(implementation_of(entry.signature)))) {
      EXPECT_TRUE(told.contains(entry.signature)) << entry.signature;
    }
  }
}

TEST(LedgerFailures, LeaveMostOfTheSharedListsToNewFailures) {
  EXPECT_LT(shipped().size() * 4, std::size_t{kMaxSteered});
  EXPECT_LT(shipped().size() * 4, std::size_t{kMaxSilenced});
}

TEST(LedgerFailures, OnlyThoseOfWhatIsTestedHere) {
  EXPECT_THAT(ledger_failures(shipped(), hello_of({"mine::gather"})), IsEmpty());
  Hello old = hello_of({"aten:cpu", "aten:cuda"});
  old.torch = "2.0.1";
  EXPECT_THAT(ledger_failures(shipped(), old), IsEmpty());
  for (const LedgerFailure& failure : ledger_failures(shipped(), hello_of({"aten:cuda"})))
    EXPECT_EQ(failure.implementation, 0u);
}

TEST(LedgerFailures, AnEntryOfAGpuSpeaksOfEveryGpu) {
  const auto one = ledger_failures(shipped(), hello_of({"aten:cuda:1"}));
  EXPECT_EQ(one.size(), ledger_failures(shipped(), hello_of({"aten:cuda"})).size());
  ASSERT_THAT(one, testing::Not(IsEmpty()));
  const LedgerFailure& first = one.front();
  EXPECT_THAT(first.signature.text, testing::HasSubstr(" on aten:cuda:1: "));
  EXPECT_EQ(find_entry(shipped(), first.signature.text, "2.11.0", "aten:cuda:1"), first.entry);
  EXPECT_EQ(find_entry(shipped(), first.signature.text, "2.11.0", "aten:cuda"), nullptr);
  EXPECT_EQ(ledger_failures(shipped(), hello_of({"aten:cuda", "aten:cuda:1"})).size(),
            2 * one.size());
}

TEST(LedgerFailures, AnEntryOfABatchSpeaksOfABatchOfBatches) {
  const auto one = ledger_failures(shipped(), hello_of({"form:vmap"}));
  const auto nested = ledger_failures(shipped(), hello_of({"form:nested_vmap"}));
  ASSERT_THAT(one, testing::Not(IsEmpty()));
  EXPECT_GE(nested.size(), one.size());
  std::string text = one.front().signature.text;
  text.replace(text.find("form:vmap"), std::string("form:vmap").size(), "form:nested_vmap");
  EXPECT_EQ(find_entry(shipped(), text, "2.11.0", "form:nested_vmap"), one.front().entry);
  EXPECT_EQ(find_entry(shipped(), text, "2.11.0", "form:vmap"), nullptr);
}

TEST(LedgerFailures, ACaseThatCannotBeReadIsNamed) {
  const Scratch scratch;
  scratch.write("x.case", "no case\n");
  const auto ledger = read_ledger(scratch.write("l.toml", ledger_entry(kSignature, "x.case")));
  try {
    ledger_failures(ledger, hello_of({"aten:cpu"}));
    ADD_FAILURE() << "it was read";
  } catch (const SetupError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("x.case"));
  }
}

TEST(LedgerFailures, ACaseOfAnotherSignatureTellsNothing) {
  const Scratch scratch;
  scratch.write("x.case", read_text(std::filesystem::path(config::kCorpusDir) /
                                    "regressions/take_along_dim_index_below_functional.case"));
  const auto ledger = read_ledger(scratch.write("l.toml", ledger_entry(kSignature, "x.case")));
  EXPECT_THAT(ledger_failures(ledger, hello_of({"aten:cpu"})), IsEmpty());
}

}  // namespace
}  // namespace indexfuzz
