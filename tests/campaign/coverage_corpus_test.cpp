// The inputs that are kept: loaded from files that may be anything, found by workers, written.

#include "campaign/store/coverage_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "../cli/command.h"
#include "../written_case.h"
#include "case/bytes.h"
#include "indexfuzz_config.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

struct Shared {
  std::unique_ptr<std::byte[]> bytes = std::make_unique<std::byte[]>(shared_memory_bytes(1));
  SharedMemory& memory = *new (bytes.get()) SharedMemory;
  Slot& slot = *new (memory.slots) Slot{};
};

const OperatorInfo& gather() {
  return *find_operator("gather");
}

std::vector<Case> gather_cases(std::uint64_t count) {
  auto targets = all_targets();
  std::erase_if(targets, [](const Target& t) { return t.op != gather().number; });
  std::vector<Case> cases(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    draw_case(1, 0, i, targets, {}, cases[i]);
    cases[i].environment = {};
  }
  return cases;
}

void find(Slot& slot, const Case& c) {
  std::byte encoded[kEncodedBytes];
  ASSERT_TRUE(offer_found(slot.found, {encoded, encode_short(c, encoded)}));
}

std::size_t files_in(const fs::path& folder) {
  std::error_code error;
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder, error), {}));
}

TEST(CoverageCorpus, WhatIsFoundIsKeptOnceAndReadAgain) {
  const Scratch scratch;
  const auto targets = all_targets();
  const auto cases = gather_cases(40);
  Shared shared;
  Store store(scratch / "o");
  CoverageCorpus corpus(shared.memory, targets, {});
  for (const Case& c : cases) find(shared.slot, c);
  for (const Case& c : cases) find(shared.slot, c);
  corpus.collect(shared.slot);
  EXPECT_TRUE(next_found(shared.slot.found).empty());
  EXPECT_EQ(corpus.found(), 40u);
  EXPECT_EQ(shared.memory.pool.count, 40u);
  EXPECT_FALSE(fs::exists(scratch / "o/corpus"));
  corpus.save(store, 10);
  EXPECT_EQ(files_in(scratch / "o/corpus/gather"), 10u);
  corpus.save(store, SIZE_MAX);
  EXPECT_EQ(files_in(scratch / "o/corpus/gather"), 40u);
  EXPECT_EQ(store.trouble(), "");

  Shared later;
  CoverageCorpus again(later.memory, targets, {});
  again.load(scratch / "o/corpus", CoverageCorpus::Folder::kOwn);
  EXPECT_EQ(again.count(gather().number), 40u);
  EXPECT_EQ(again.found() + again.set_aside(), 0u);
  for (std::uint32_t i = 0; i < 40; ++i)
    EXPECT_THAT(cases, testing::Contains(decode(bytes_of(later.memory.pool, i))));
  find(later.slot, cases[0]);
  again.collect(later.slot);
  EXPECT_EQ(again.found(), 0u) << "it is there already";
}

TEST(CoverageCorpus, TakesNothingButRegularFilesOfItsOperator) {
  const Scratch scratch;
  const fs::path folder = scratch / "corpus/gather";
  fs::create_directories(folder / "folder.case");
  const std::string good = to_text(gather_cases(1)[0]);
  scratch.write("corpus/gather/good.case", good);
  scratch.write("corpus/gather/good.txt", good);
  scratch.write("corpus/gather/empty.case", "");
  scratch.write("corpus/gather/torn.case", good.substr(0, good.size() / 2));
  scratch.write("corpus/gather/other.case",
                std::string(kCaseHeader) + "\nnonzero functional\nself float32 (2)\n");
  scratch.write("outside.case", to_text(gather_cases(2)[1]));
  fs::create_symlink(scratch / "outside.case", folder / "link.case");
  ASSERT_EQ(mkfifo((folder / "fifo.case").c_str(), 0600), 0);
  std::ofstream(folder / "sparse.case").close();
  fs::resize_file(folder / "sparse.case", std::uintmax_t{1} << 40);
  std::ofstream(folder / "\n\xFF.case") << "x";

  Shared shared;
  CoverageCorpus corpus(shared.memory, all_targets(), {});
  corpus.load(scratch / "corpus", CoverageCorpus::Folder::kOwn);
  EXPECT_EQ(corpus.count(gather().number), 1u);
  EXPECT_EQ(corpus.set_aside(), 8u);
  corpus.load(scratch / "nowhere", CoverageCorpus::Folder::kOwn);
  EXPECT_EQ(corpus.set_aside(), 8u);
}

TEST(CoverageCorpus, WhatAWorkerDiedOfGoesToTheQuarantine) {
  const Scratch scratch;
  const auto targets = all_targets();
  const auto cases = gather_cases(4);
  fs::create_directories(scratch / "seeds/gather");
  fs::create_directories(scratch / "o/corpus/gather");
  scratch.write("seeds/gather/shipped.case", to_text(cases[0]));
  scratch.write("o/corpus/gather/loaded.case", to_text(cases[1]));
  Shared shared;
  Store store(scratch / "o");
  CoverageCorpus corpus(shared.memory, targets, {});
  corpus.load(scratch / "seeds", CoverageCorpus::Folder::kShipped);
  corpus.load(scratch / "o/corpus", CoverageCorpus::Folder::kOwn);
  find(shared.slot, cases[2]);
  corpus.collect(shared.slot);
  corpus.save(store, SIZE_MAX);
  find(shared.slot, cases[3]);
  corpus.collect(shared.slot);
  ASSERT_EQ(shared.memory.pool.count, 4u);
  EXPECT_EQ(files_in(scratch / "o/corpus/gather"), 2u);
  for (std::uint32_t entry = 0; entry < 4; ++entry) shared.memory.pool.entries[entry].deadly = 1;
  corpus.save(store, SIZE_MAX);
  EXPECT_EQ(files_in(scratch / "o/corpus/gather"), 0u);
  EXPECT_EQ(files_in(scratch / "o/quarantine/corpus/gather"), 2u) << "what was not saved is not";
  EXPECT_TRUE(fs::exists(scratch / "seeds/gather/shipped.case"));
}

TEST(CoverageCorpus, TheShippedSeedsAreInIt) {
  Shared shared;
  const auto targets = all_targets();
  CoverageCorpus corpus(shared.memory, targets, {});
  corpus.load(fs::path(config::kCorpusDir) / "seeds", CoverageCorpus::Folder::kShipped);
  EXPECT_EQ(corpus.set_aside(), 0u);
  for (const OperatorInfo* row : operators()) EXPECT_GT(corpus.count(row->number), 0u) << row->name;
}

TEST(CoverageCorpus, IsBounded) {
  Shared shared;
  CoverageCorpus corpus(shared.memory, all_targets(), {});
  for (const Case& c : gather_cases(CoverageCorpus::kMostCases + 500)) {
    find(shared.slot, c);
    corpus.collect(shared.slot);
  }
  EXPECT_EQ(corpus.count(gather().number), CoverageCorpus::kMostCases);
}

TEST(CoverageCorpus, AFileThatCannotBeWrittenIsTroubleButNoError) {
  const Scratch scratch;
  Store store(scratch / "o");
  scratch.write("o/corpus", "a file");
  Shared shared;
  CoverageCorpus corpus(shared.memory, all_targets(), {});
  find(shared.slot, gather_cases(1)[0]);
  corpus.collect(shared.slot);
  EXPECT_NO_THROW(corpus.save(store, SIZE_MAX));
  EXPECT_THAT(store.trouble(), testing::HasSubstr("o/corpus/gather"));
}

/// A child that stores an input while no file may have more than 16 bytes, and meets the limit as
/// `on_limit` says. What it returned, 1000 + the signal that ended it.
int store_input_without_room(const std::string& folder, void (*on_limit)(int)) {
  const pid_t child = fork();
  if (child == 0) {
    Store store(folder);
    Shared shared;
    CoverageCorpus corpus(shared.memory, all_targets(), {});
    find(shared.slot, gather_cases(1)[0]);
    corpus.collect(shared.slot);
    signal(SIGXFSZ, on_limit);
    const rlimit limit{16, 16};
    setrlimit(RLIMIT_FSIZE, &limit);
    corpus.save(store, SIZE_MAX);
    _exit(store.trouble().empty() ? 0 : 7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(CoverageCorpus, AFullDiskIsTroubleAndLeavesNothing) {
  const Scratch scratch;
  EXPECT_EQ(store_input_without_room(scratch / "o", SIG_IGN), 7);
  EXPECT_EQ(files_in(scratch / "o/corpus/gather"), 0u);
}

TEST(CoverageCorpus, WhatAKilledCampaignWasWritingIsRemovedByTheNext) {
  const Scratch scratch;
  EXPECT_EQ(store_input_without_room(scratch / "o", SIG_DFL), 1000 + SIGXFSZ);
  ASSERT_EQ(files_in(scratch / "o/corpus/gather"), 1u);
  Store next(scratch / "o");
  EXPECT_EQ(files_in(scratch / "o/corpus/gather"), 0u);
}

}  // namespace
}  // namespace indexfuzz
