#include "campaign/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "../cli/command.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

const std::map<std::string, std::string> kFiles{{"minimal.case", "a case\n"},
                                                {"finding.json", "{\"id\": 1}\n"}};

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    names.insert(entry.path().filename());
  return names;
}

std::string refusal(const std::string& folder) {
  try {
    Store store(folder);
  } catch (const SetupError& error) {
    return error.what();
  }
  return "";
}

TEST(Store, KeepsFindingsSummaryAndLog) {
  const Scratch scratch;
  {
    Store store(scratch / "o");
    EXPECT_EQ(store.earlier(), 0u);
    EXPECT_TRUE(store.save_finding("abc", kFiles));
    store.update_finding("abc", {{"verified", true}});
    store.write_summary({{"state", "done"}});
    store.log({{"event", "start"}});
    EXPECT_EQ(store.trouble(), "");
  }
  EXPECT_EQ(read_text(scratch / "o/findings/abc/minimal.case"), "a case\n");
  const auto json = read_json(scratch / "o/findings/abc/finding.json");
  EXPECT_EQ(json, (nlohmann::json{{"id", 1}, {"verified", true}}));
  EXPECT_EQ(read_json(scratch / "o/summary.json").at("state"), "done");
  EXPECT_EQ(read_json(scratch / "o/log.jsonl").at("event"), "start");
  EXPECT_EQ(names_in(scratch / "o"),
            (std::set<std::string>{".lock", "findings", "log.jsonl", "summary.json"}))
      << "the reserve is given back";
}

TEST(Store, LeavesTheFindingsOfAnEarlierCampaignAsTheyAre) {
  const Scratch scratch;
  Store(scratch / "o").save_finding("abc", kFiles);
  std::ofstream(scratch / "o/findings/abc/notes.txt") << "mine";
  Store store(scratch / "o");
  EXPECT_EQ(store.earlier(), 1u);
  EXPECT_FALSE(store.save_finding("abc", {{"minimal.case", "other"}, {"finding.json", "other"}}));
  EXPECT_EQ(read_text(scratch / "o/findings/abc/minimal.case"), "a case\n");
  EXPECT_EQ(read_text(scratch / "o/findings/abc/notes.txt"), "mine");
}

TEST(Store, PutsADamagedFindingAside) {
  const Scratch scratch;
  Store(scratch / "o").save_finding("abc", kFiles);
  std::ofstream(scratch / "o/findings/abc/minimal.case").close();  // empty now
  Store store(scratch / "o");
  EXPECT_TRUE(store.save_finding("abc", kFiles));
  EXPECT_EQ(read_text(scratch / "o/findings/abc/minimal.case"), "a case\n");
  EXPECT_TRUE(fs::exists(scratch / "o/quarantine/findings/abc/finding.json"));
}

TEST(Store, RemovesWhatAKilledProcessLeft) {
  const Scratch scratch;
  { Store store(scratch / "o"); }
  fs::create_directories(scratch / "o/findings/.tmp-abc");
  fs::create_directories(scratch / "o/findings/def");
  fs::create_directories(scratch / "o/corpus/gather");
  fs::create_directories(scratch / "o/.reserve");
  for (const char* file : {".tmp-summary.json", "findings/.tmp-abc/minimal.case",
                           "findings/def/.tmp-finding.json", "corpus/gather/.tmp-x.case"}) {
    std::ofstream(scratch / (std::string("o/") + file)) << "half";
  }
  std::ofstream(scratch / "o/log.jsonl") << "{\"event\": 1}\n{\"eve";
  {
    Store store(scratch / "o");
    store.log({{"event", 2}});
  }
  for (const auto& entry : fs::recursive_directory_iterator(scratch / "o")) {
    EXPECT_FALSE(entry.path().filename().string().starts_with(".tmp-")) << entry.path();
  }
  EXPECT_FALSE(fs::exists(scratch / "o/.reserve"));
  const std::string log = read_text(scratch / "o/log.jsonl");
  EXPECT_TRUE(log.starts_with("{\"event\": 1}\n{\"time\"")) << log;
}

TEST(Store, OneCampaignAFolder) {
  const Scratch scratch;
  EXPECT_EQ(lock_owner(scratch / "o"), 0);
  {
    Store store(scratch / "o");
    EXPECT_EQ(lock_owner(scratch / "o"), getpid());
    EXPECT_THAT(refusal(scratch / "o"), HasSubstr("process " + std::to_string(getpid()) + ")"));
  }
  EXPECT_EQ(lock_owner(scratch / "o"), 0);
  EXPECT_EQ(refusal(scratch / "o"), "") << "the file is still there, the lock is not";
}

TEST(Store, AKilledCampaignDoesNotBlockTheNext) {
  const Scratch scratch;
  const pid_t first = fork();
  if (first == 0) {
    Store store(scratch / "o");
    std::ofstream(scratch / "locked") << 1;
    while (true) pause();
  }
  while (!fs::exists(scratch / "locked")) usleep(1000);
  EXPECT_THAT(refusal(scratch / "o"), HasSubstr("process " + std::to_string(first) + ")"));
  kill(first, SIGKILL);
  waitpid(first, nullptr, 0);
  EXPECT_EQ(refusal(scratch / "o"), "");
}

TEST(Store, CorpusFilesAppearOnceAndCanBeSetAside) {
  const Scratch scratch;
  Store store(scratch / "o");
  EXPECT_TRUE(store.save_corpus("gather", "a.case", "text\n"));
  EXPECT_FALSE(store.save_corpus("gather", "a.case", "other\n"));
  EXPECT_EQ(read_text(scratch / "o/corpus/gather/a.case"), "text\n");
  scratch.write("o/corpus/gather/torn.case", "");
  EXPECT_TRUE(store.save_corpus("gather", "torn.case", "text\n", Flush::kLater));
  EXPECT_EQ(read_text(scratch / "o/corpus/gather/torn.case"), "text\n");
  fs::remove(scratch / "o/corpus/gather/torn.case");
  EXPECT_TRUE(store.quarantine(scratch / "o/corpus/gather/a.case"));
  EXPECT_FALSE(store.quarantine(scratch / "o/corpus/gather/a.case"));
  EXPECT_EQ(read_text(scratch / "o/quarantine/corpus/gather/a.case"), "text\n");
  EXPECT_THAT(names_in(scratch / "o/corpus/gather"), IsEmpty());
}

TEST(Store, TheLogIsBoundedAndKeepsTheLatest) {
  const Scratch scratch;
  Store store(scratch / "o");
  const std::string text(100000, 'x');
  constexpr int kEvents = 250;  // three times what one file holds
  for (int i = 0; i < kEvents; ++i) store.log({{"number", i}, {"text", text}});
  const auto size = [&](const char* name) {
    return static_cast<std::int64_t>(fs::file_size(scratch / (std::string("o/") + name)));
  };
  EXPECT_LE(size("log.jsonl"), EventLog::kLimit);
  EXPECT_LE(size("log.old.jsonl"), EventLog::kLimit);
  EXPECT_GT(size("log.jsonl") + size("log.old.jsonl"), EventLog::kLimit);
  int last = -1;
  std::ifstream log(scratch / "o/log.jsonl");
  for (std::string line; std::getline(log, line);)
    last = nlohmann::json::parse(line).at("number").get<int>();
  EXPECT_EQ(last, kEvents - 1);
}

TEST(EventLog, GoesOnIfNoNewFileCouldBeOpened) {
  const Scratch scratch;
  EventLog log(scratch / "");
  const std::string text(100000, 'x');
  for (int i = 0; i < 83; ++i) log.add({{"number", i}, {"text", text}});
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const rlimit none{0, files.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  EXPECT_THROW(log.add({{"number", 83}, {"text", text}}), StorageError);
  EXPECT_THROW(log.add({{"number", 83}, {"text", text}}), StorageError);
  setrlimit(RLIMIT_NOFILE, &files);
  log.add({{"number", 84}});
  EXPECT_EQ(read_json(scratch / "log.jsonl").at("number"), 84);
  EXPECT_GT(fs::file_size(scratch / "log.old.jsonl"), 83u * 100000);
}

TEST(Store, AFindingThatSomebodyRemovedStaysAway) {
  const Scratch scratch;
  Store store(scratch / "o");
  ASSERT_TRUE(store.save_finding("abc", kFiles));
  fs::remove_all(store.finding("abc"));
  store.update_finding("abc", {{"verified", true}});
  EXPECT_FALSE(fs::exists(store.finding("abc")));
}

/// In a child that cannot write files of more than so many bytes; what it returned.
template <typename Body>
int with_file_limit(rlim_t bytes, Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(Durable, WhatCannotBeWrittenWholeLeavesTheOldFile) {
  const Scratch scratch;
  write_whole(scratch / "f", "old");
  const int code = with_file_limit(1000, [&] {
    try {
      write_whole(scratch / "f", std::string(5000, 'x'));
    } catch (const DiskFull&) {
      return 7;
    }
    return 0;
  });
  EXPECT_EQ(code, 7);
  EXPECT_EQ(read_text(scratch / "f"), "old");
  EXPECT_EQ(names_in(scratch / ""), (std::set<std::string>{"f"}));
}

TEST(Durable, AFolderAppearsWholeOrNotAtAll) {
  const Scratch scratch;
  const int code = with_file_limit(1000, [&] {
    try {
      write_whole_folder(scratch / "d", {{"a", "fits"}, {"b", std::string(5000, 'x')}});
    } catch (const DiskFull&) {
      return 7;
    }
    return 0;
  });
  EXPECT_EQ(code, 7);
  EXPECT_THAT(names_in(scratch / ""), IsEmpty());
  write_whole_folder(scratch / "d", {{"a", "fits"}});
  EXPECT_EQ(read_text(scratch / "d/a"), "fits");
}

TEST(Durable, AFullDiskIsToldFromOtherErrors) {
  const Scratch scratch;
  EXPECT_THROW(write_whole(scratch / "no/such/folder/f", "x"), StorageError);
  try {
    write_whole(scratch / "no/such/folder/f", "x");
  } catch (const DiskFull&) {
    ADD_FAILURE() << "the disk is not full";
  } catch (const StorageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no/such/folder"));
  }
}

}  // namespace
}  // namespace indexfuzz
