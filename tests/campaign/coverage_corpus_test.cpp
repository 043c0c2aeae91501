// The inputs that are kept: loaded from files that may be anything, found by workers, written.

#include "campaign/store/coverage_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <memory>

#include "../cli/command.h"
#include "../written_case.h"
#include "campaign/failure.h"
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
  CoverageCorpus corpus(shared.memory, scratch / "corpus", targets, {});
  for (const Case& c : cases) find(shared.slot, c);
  for (const Case& c : cases) find(shared.slot, c);
  corpus.collect(shared.slot);
  EXPECT_TRUE(next_found(shared.slot.found).empty());
  EXPECT_EQ(corpus.found(), 40u);
  EXPECT_EQ(shared.memory.pool.count, 40u);
  EXPECT_FALSE(fs::exists(scratch / "corpus"));
  corpus.save(10);
  EXPECT_EQ(files_in(scratch / "corpus/gather"), 10u);
  corpus.save(SIZE_MAX);
  EXPECT_EQ(files_in(scratch / "corpus/gather"), 40u);

  Shared later;
  CoverageCorpus again(later.memory, scratch / "other", targets, {});
  again.load(scratch / "corpus");
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
  CoverageCorpus corpus(shared.memory, scratch / "out", all_targets(), {});
  corpus.load(scratch / "corpus");
  EXPECT_EQ(corpus.count(gather().number), 1u);
  EXPECT_EQ(corpus.set_aside(), 8u);
  corpus.load(scratch / "nowhere");
  EXPECT_EQ(corpus.set_aside(), 8u);
}

TEST(CoverageCorpus, TheShippedSeedsAreInIt) {
  Shared shared;
  const auto targets = all_targets();
  CoverageCorpus corpus(shared.memory, "/nowhere", targets, {});
  corpus.load(fs::path(config::kCorpusDir) / "seeds");
  EXPECT_EQ(corpus.set_aside(), 0u);
  for (const OperatorInfo* row : operators()) EXPECT_GT(corpus.count(row->number), 0u) << row->name;
}

TEST(CoverageCorpus, IsBounded) {
  const Scratch scratch;
  Shared shared;
  CoverageCorpus corpus(shared.memory, scratch / "corpus", all_targets(), {});
  for (const Case& c : gather_cases(CoverageCorpus::kMostCases + 500)) {
    find(shared.slot, c);
    corpus.collect(shared.slot);
  }
  EXPECT_EQ(corpus.count(gather().number), CoverageCorpus::kMostCases);
}

TEST(CoverageCorpus, AFileThatCannotBeWrittenIsAStorageError) {
  const Scratch scratch;
  scratch.write("corpus", "a file");
  Shared shared;
  CoverageCorpus corpus(shared.memory, scratch / "corpus", all_targets(), {});
  find(shared.slot, gather_cases(1)[0]);
  corpus.collect(shared.slot);
  EXPECT_THROW(corpus.save(1), StorageError);
}

}  // namespace
}  // namespace indexfuzz
