#include "campaign/start_notes.h"

#include <fmt/format.h>

namespace indexfuzz {
namespace {

std::string earlier_sentence(std::size_t findings) {
  return fmt::format("{} finding{} of earlier campaigns {} in this folder and stay{} as {}",
                     findings, findings == 1 ? "" : "s", findings == 1 ? "lies" : "lie",
                     findings == 1 ? "s" : "", findings == 1 ? "it is" : "they are");
}

}  // namespace

std::vector<std::string> start_notes(const Hello& hello, const WorkPlan& plan,
                                     const CampaignOptions& options, std::size_t earlier) {
  std::vector<std::string> notes = options.notes;
  if (!hello.gpus.empty() && !hello.no_gpu.empty())
    notes.push_back(fmt::format("no GPU is used, though there is one: {}.", hello.no_gpu));
  for (const std::string& note : hello.notes) notes.push_back(note + ".");
  for (const std::string& why : hello.left_out) notes.push_back(fmt::format("left out: {}.", why));
  if (plan.gpu_jobs > 0 && plan.gpu_jobs < options.jobs) {
    const int on_host = plan.jobs - plan.gpu_jobs;
    std::string note = fmt::format("{} job{} call{} what is on a GPU", plan.gpu_jobs,
                                   plan.gpu_jobs == 1 ? "" : "s", plan.gpu_jobs == 1 ? "s" : "");
    if (on_host > 0) note += fmt::format(" and nothing else, {} what is on the CPU", on_host);
    notes.push_back(note + ", since jobs take turns on a GPU; --jobs N lets N call everything.");
  }
  if (earlier > 0) notes.push_back(earlier_sentence(earlier));
  return notes;
}

}  // namespace indexfuzz
