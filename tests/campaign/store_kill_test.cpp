// A process that stores findings as fast as it can, killed at random moments. How often is
// INDEXFUZZ_KILLS, which scripts/stress/kill sets.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "../cli/command.h"
#include "campaign/store/store.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;

int kills() {
  const char* asked = getenv("INDEXFUZZ_KILLS");
  return asked != nullptr ? std::atoi(asked) : 20;
}

/// Six files that depend on the id alone, some of several pages.
std::map<std::string, std::string> files_of(const std::string& id) {
  std::map<std::string, std::string> files;
  std::mt19937 random(static_cast<unsigned>(std::stoul(id)));
  for (const char* name : {"a", "b", "c", "d", "e", "f"})
    files[name] = std::string(1 + random() % 20000, static_cast<char>('a' + random() % 26));
  return files;
}

bool is_there(const Scratch& scratch, const std::string& id) {
  for (const auto& [name, text] : files_of(id)) {
    if (read_text(fs::path(scratch / "o/findings") / id / name) != text) return false;
  }
  return true;
}

/// In the child: announces each finding once it is stored.
[[noreturn]] void store_findings(const std::string& folder, unsigned first, int announce) {
  Store store(folder);
  for (unsigned i = first;; ++i) {
    const std::string id = std::to_string(i);
    store.save_finding(id, files_of(id));
    if (write(announce, &i, sizeof i) != sizeof i) _exit(1);
    store.update_finding(id, {{"verified", true}});
    store.write_summary({{"findings", i}});
    store.log({{"finding", i}});
    store.save_corpus("gather", id + ".case", files_of(id)["a"]);
  }
}

TEST(StoreKilled, LosesNoAnnouncedFindingAndTearsNoFile) {
  const Scratch scratch;
  std::mt19937 random(1);
  unsigned next = 0, announced = 0;
  for (int round = 0; round < kills(); ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) store_findings(scratch / "o", next, ends[1]);
    close(ends[1]);
    usleep(random() % 200000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    for (unsigned id = 0; read(ends[0], &id, sizeof id) == sizeof id; ++announced, next = id + 1) {
      EXPECT_TRUE(is_there(scratch, std::to_string(id))) << id;
    }
    close(ends[0]);
    for (const auto& entry : fs::directory_iterator(scratch / "o/findings")) {
      const std::string name = entry.path().filename();
      if (!name.starts_with(kTemporaryPrefix)) {
        EXPECT_TRUE(is_there(scratch, name)) << name;
      }
    }
    ++next;  // stored, perhaps, but not announced
    if (round % 50 == 49) fs::remove_all(scratch / "o");
  }
  const auto summary = read_json(scratch / "o/summary.json");
  EXPECT_TRUE(summary.is_object() || !fs::exists(scratch / "o/summary.json"));
  std::printf("%d kills, %u findings announced\n", kills(), announced);
  EXPECT_GT(announced, 0u);
}

}  // namespace
}  // namespace indexfuzz
