// The folder that a campaign leaves, looked at, united with another, and used again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "command.h"

namespace indexfuzz {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr const char* kKernel = "planted::gather_past_output";

Ended campaign(const std::string& out, const std::string& seed) {
  return run(fuzz_one("gather", kKernel, out, {"--seed", seed, "--cases", "2000"}));
}

std::string id_in(const std::string& out) {
  return read_json(out + "/summary.json").at("findings").at(0).at("id");
}

TEST(Folder, ShowsHowAFinishedCampaignStands) {
  const Scratch scratch;
  campaign(scratch / "o", "7");
  const Ended status = run({"status", scratch / "o"});
  EXPECT_EQ(status.code, 0) << status.err;
  EXPECT_THAT(status.out, HasSubstr("done, exit code 77 (new)"));
  EXPECT_THAT(status.out, HasSubstr("findings/" + id_in(scratch / "o")));
  EXPECT_THAT(status.out, HasSubstr("last events"));

  const std::string page = scratch / "page.html";
  EXPECT_EQ(run({"report", scratch / "o", "-o", page}).code, 0);
  EXPECT_THAT(read_text(page), HasSubstr("minimal.case"));
  EXPECT_THAT(read_text(page), HasSubstr("indexfuzz case 1\ngather"));
  EXPECT_THAT(read_text(page), Not(HasSubstr("src=")));

  EXPECT_EQ(run({"status", scratch / ""}).code, 1);
  EXPECT_EQ(run({"report", scratch / ""}).code, 1);
}

TEST(Folder, ShowsHowARunningAndAKilledCampaignStand) {
  const Scratch scratch;
  Command running(fuzz_one("gather", "correct::gather_strided", scratch / "o", {"--time", "90s"}));
  for (int i = 0; i < 600 && !fs::exists(scratch / "o/summary.json"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_THAT(run({"status", scratch / "o"}).out, HasSubstr("running (process "));
  const Ended second = campaign(scratch / "o", "1");
  EXPECT_EQ(second.code, 1);
  EXPECT_THAT(second.err, HasSubstr("another campaign (process "));
  running.signal(SIGKILL);
  running.wait();
  EXPECT_THAT(run({"status", scratch / "o"}).out, HasSubstr("ended without a final summary"));
  EXPECT_EQ(campaign(scratch / "o", "1").code, 77) << "its lock is gone with it";
}

TEST(Folder, TellsWhyACampaignIsInconclusive) {
  const Scratch scratch;
  scratch.write("summary.json",
                R"({"format": 1, "state": "done", "exit_code": 3, "reasons": ["inconclusive"],
                    "unverified": ["mine::x", "take of mine::<y>"], "elusive": 1, "untracked": 2,
                    "unlocated": 3, "unexamined": 1})");
  const std::string status = run({"status", scratch / ""}).out;
  const std::string page = run({"report", scratch / ""}).out;
  for (const std::string& text : {status, page}) {
    EXPECT_THAT(text, HasSubstr("One kind of failure occurred three times or more and never"));
    EXPECT_THAT(text, HasSubstr("2 failures were let go, since no more could be told apart."));
    EXPECT_THAT(text, HasSubstr("3 batches of cases broke a GPU"));
    EXPECT_THAT(text, HasSubstr("One failure still waited to be examined"));
  }
  EXPECT_THAT(status, HasSubstr("Nothing was verified for mine::x, take of mine::<y>.\n"));
  EXPECT_THAT(page, HasSubstr("Nothing was verified for mine::x, take of mine::&lt;y&gt;."));
  scratch.write("summary.json",
                R"({"format": 1, "state": "done", "unverified": "all", "elusive": []})");
  EXPECT_THAT(run({"status", scratch / ""}).out, Not(HasSubstr("inconclusive")));
}

TEST(Folder, NamesNoMoreOfWhatWasNotVerifiedThanFitsOnAScreen) {
  const Scratch scratch;
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("mine::kernel" + std::to_string(i));
  const nlohmann::json summary{
      {"format", 1}, {"state", "done"}, {"reasons", {"inconclusive"}}, {"unverified", names}};
  scratch.write("summary.json", summary.dump());
  EXPECT_THAT(run({"status", scratch / ""}).out,
              HasSubstr("mine::kernel10, mine::kernel11 and 88 more, which summary.json names; "));
}

TEST(Folder, KeepsWhatWasNotVerified) {
  const Scratch scratch;
  const Ended nothing =
      run(fuzz_one("gather", "correct::gather_strided", scratch / "o", {"--cases", "0"}));
  EXPECT_EQ(nothing.code, 3) << nothing.err;
  const auto summary = read_json(scratch / "o/summary.json");
  EXPECT_EQ(summary.at("unverified"), nlohmann::json({"correct::gather_strided"}));
  for (const char* field : {"elusive", "untracked", "cut_off"}) EXPECT_EQ(summary.at(field), 0);
  EXPECT_THAT(run({"status", scratch / "o"}).out,
              HasSubstr("Nothing was verified for correct::gather_strided."));
}

TEST(Folder, FindingsOfAnEarlierCampaignStay) {
  const Scratch scratch;
  campaign(scratch / "o", "7");
  const std::string id = id_in(scratch / "o");
  const std::string before = read_text(scratch / "o/findings/" + id + "/finding.json");
  const Ended again = campaign(scratch / "o", "7");
  EXPECT_EQ(again.code, 77) << "the ledger does not know it";
  EXPECT_THAT(again.err, HasSubstr("of earlier campaigns"));
  EXPECT_THAT(again.err, HasSubstr("met again findings/" + id));
  EXPECT_THAT(again.err, Not(HasSubstr("saved findings/" + id)));
  EXPECT_EQ(read_text(scratch / "o/findings/" + id + "/finding.json"), before);
}

TEST(Folder, SeveralBecomeOne) {
  const Scratch scratch;
  campaign(scratch / "a", "7");
  campaign(scratch / "b", "8");
  const Ended merged = run({"merge", scratch / "a", scratch / "b", "-o", scratch / "all"});
  EXPECT_EQ(merged.code, 0) << merged.err;
  const auto all = read_json(scratch / "all/summary.json");
  EXPECT_EQ(all.at("cases"), read_json(scratch / "a/summary.json").at("cases").get<int>() +
                                 read_json(scratch / "b/summary.json").at("cases").get<int>());
  for (const auto& finding : all.at("findings")) {
    EXPECT_TRUE(fs::exists(scratch / ("all/" + finding.at("case").get<std::string>())));
  }
  EXPECT_EQ(run({"status", scratch / "all"}).code, 0);

  EXPECT_EQ(run({"merge", scratch / "a", "-o", scratch / "a"}).code, 1);
  scratch.write("summary.json", "{\"format\": 2}");
  const Ended newer = run({"merge", scratch / "a", scratch / "", "-o", scratch / "x"});
  EXPECT_EQ(newer.code, 1);
  EXPECT_THAT(newer.err, HasSubstr("format 2"));
  EXPECT_FALSE(fs::exists(scratch / "x")) << "what cannot begin leaves no folder";
}

TEST(Folder, ALogThatNestsDeeplyIsLeftOut) {
  const Scratch scratch;
  scratch.write("summary.json", R"({"format": 1, "state": "done"})");
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  scratch.write("log.jsonl",
                R"({"event": "deep event", "a": )" + deep + "}\n" + R"({"event": "ended"})" + "\n");
  const Ended status = run({"status", scratch / ""});
  EXPECT_EQ(status.code, 0) << status.err;
  EXPECT_THAT(status.out, HasSubstr("ended"));
  EXPECT_THAT(status.out, Not(HasSubstr("deep event")));
}

TEST(Folder, IsNotMergedIntoIfItHoldsACampaign) {
  const Scratch scratch;
  for (const char* const folder : {"all", "clean"}) fs::create_directory(scratch / folder);
  scratch.write("all/summary.json", R"({"format": 1, "cases": 3, "exit_code": 77})");
  scratch.write("clean/summary.json", R"({"format": 1, "cases": 4})");
  const Ended refused = run({"merge", scratch / "clean", "-o", scratch / "all"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("holds a campaign already"));
  EXPECT_EQ(read_json(scratch / "all/summary.json").at("exit_code"), 77);
  const Ended merged = run({"merge", scratch / "clean", scratch / "all", "-o", scratch / "new"});
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(read_json(scratch / "new/summary.json").at("cases"), 7);
}

}  // namespace
}  // namespace indexfuzz
