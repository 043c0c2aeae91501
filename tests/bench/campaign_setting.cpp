#include "campaign_setting.h"

#include <sys/mman.h>

#include <chrono>
#include <new>
#include <utility>

#include "campaign/examine/silenced_failures.h"
#include "judge/signature.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

WorkerMemory::WorkerMemory() {
  void* const mapping = mmap(nullptr, shared_memory_bytes(1), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  shared_ = new (mapping) SharedMemory;
  slot_ = new (static_cast<std::byte*>(mapping) + sizeof(SharedMemory)) Slot{};
}

WorkerMemory::~WorkerMemory() {
  munmap(shared_, shared_memory_bytes(1));
}

CampaignSetting::CampaignSetting(std::vector<Implementation> tested, const WorkerMemory& memory)
    : implementations(std::move(tested)),
      memory(&memory.shared()),
      slot(&memory.slot()),
      supervisor_([this](std::stop_token stop) { acknowledge_failures(stop); }) {}

void CampaignSetting::aim_at(const std::vector<const OperatorInfo*>& rows) {
  Job& job = slot->job;
  job.type = Job::Type::kCampaign;
  job.target_count = 0;
  for (const OperatorInfo* row : rows) {
    for (const Target& target : targets_of(*row)) job.targets[job.target_count++] = target;
  }
}

std::uint64_t CampaignSetting::judged() const {
  std::uint64_t sum = 0;
  for (const Tally& tally : slot->tallies[0]) sum += tally.agreed + tally.refused + tally.findings;
  return sum;
}

void CampaignSetting::acknowledge_failures(std::stop_token stop) {
  Case c;
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (slot->waiting.load(std::memory_order_acquire) == 0) continue;
    const Job& job = slot->job;
    const Report& report = slot->pending;
    draw_case(job.seed, job.worker, report.case_number, {job.targets, job.target_count}, job.limits,
              c);
    SilencedFailures(memory->silenced)
        .add(shrink_key(c, report.verdict, implementations[report.implementation].name), {});
    slot->waiting.store(0, std::memory_order_release);
  }
}

}  // namespace indexfuzz
