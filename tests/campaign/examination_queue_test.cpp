// Batches that broke a GPU together: here on the CPU, where no case of them breaks anything.

#include "campaign/examine/examination_queue.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "../cli/command.h"
#include "../written_case.h"
#include "campaign/failure.h"
#include "campaign/workers/work_plan.h"
#include "quiet_listener.h"

namespace indexfuzz {
namespace {

class ExaminationQueueTest : public testing::Test {
 protected:
  static CampaignOptions options() {
    CampaignOptions options;
    options.worker.executable = find_worker_executable();
    options.worker.libraries = {planted_library()};
    options.worker.implementations = {"correct::index_select_contiguous_only"};
    options.worker.operators = {"index_select"};
    options.jobs = 2;
    return options;
  }
  /// The batch of 16 cases with which a worker died.
  static Suspect batch_of(std::uint32_t worker) {
    Suspect suspect;
    suspect.c = written("index_select functional\nself float32 (4)\nindex int64 (2) fill=first\n");
    suspect.worker = worker;
    suspect.implementation = kMaxImplementations;
    suspect.verdict = finding(Kind::kDevice, -1, "an illegal memory access");
    suspect.batch_end = 16;
    for (std::uint64_t number = 0; number < 16; ++number)
      suspect.batch_calls.push_back({number, 0});
    suspect.fault = 1;
    return suspect;
  }
  std::uint64_t examine_both() {
    examinations_.add(batch_of(0));
    examinations_.add(batch_of(1));
    return examinations_.examine(*examinations_.take_next());
  }
  /// How many lines of the log tell of such an event.
  int logged(const std::string& event) const {
    const std::string log = read_text(scratch_ / "out/log.jsonl");
    int count = 0;
    for (std::size_t at = 0; (at = log.find('"' + event + '"', at)) != std::string::npos; ++at)
      ++count;
    return count;
  }

  Scratch scratch_;
  CampaignOptions options_ = options();
  ZygoteClient zygote_{options_.worker, 11};
  const Hello& hello_ = zygote_.hello();
  std::function<bool()> interrupted_ = [] { return false; };
  Runner runner_{zygote_, {2, 9}, false, [this] { return interrupted_(); }};
  Finder finder_{zygote_, runner_, &runner_, options_};
  Store store_{scratch_ / "out"};
  QuietListener listener_;
  FindingPublisher publisher_{store_, finder_, options_, hello_, listener_};
  CoverageCorpus corpus_{zygote_.memory(), targets(hello_, {}), options_.limits};
  Workers workers_{zygote_, work_plan(options_, hello_, corpus_)};
  ExaminationQueue examinations_{{hello_, workers_, finder_, publisher_, store_, &runner_},
                                 zygote_.memory()};
};

TEST_F(ExaminationQueueTest, ABatchWithoutACaseAtFaultIsUnlocated) {
  EXPECT_EQ(examine_both(), 16u) << "its worker goes on behind it";
  EXPECT_EQ(examinations_.unlocated(), 1u);
  EXPECT_EQ(finder_.cut_off(), 0u);
  EXPECT_EQ(logged("unlocated"), 1);
  EXPECT_EQ(examinations_.waiting(), 0u);
}

TEST_F(ExaminationQueueTest, EveryBatchIsCutOffIfTheSearchIs) {
  interrupted_ = [] { return true; };
  examine_both();
  EXPECT_EQ(examinations_.unlocated(), 0u);
  EXPECT_EQ(finder_.cut_off(), 2u);
  EXPECT_EQ(logged("cut off"), 2);
}

TEST_F(ExaminationQueueTest, EveryBatchIsAbandonedIfTheSearchFails) {
  interrupted_ = []() -> bool { throw DeviceMissing("the GPU was lost."); };
  EXPECT_THROW(examine_both(), DeviceMissing);
  interrupted_ = [] { return true; };
  examinations_.abandon_all();
  EXPECT_EQ(finder_.cut_off(), 2u);
  EXPECT_EQ(logged("cut off"), 2);
}

}  // namespace
}  // namespace indexfuzz
