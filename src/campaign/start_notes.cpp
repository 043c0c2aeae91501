#include "campaign/start_notes.h"

#include <fmt/format.h>

#include "case/strings/counted.h"

namespace indexfuzz {
namespace {

std::string earlier_sentence(std::size_t findings) {
  const bool is_one = findings == 1;
  return fmt::format("{} of earlier campaigns {} in this folder and {}",
                     plural(findings, "finding"), is_one ? "lies" : "lie",
                     is_one ? "stays as it is" : "stay as they are");
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
    std::string note = fmt::format("{} {} what is on a GPU",
                                   plural(static_cast<std::uint64_t>(plan.gpu_jobs), "job"),
                                   plan.gpu_jobs == 1 ? "calls" : "call");
    if (on_host > 0) note += fmt::format(" and nothing else, {} what is on the CPU", on_host);
    notes.push_back(note + ", since jobs take turns on a GPU; --jobs N lets N call everything.");
  }
  if (earlier > 0) notes.push_back(earlier_sentence(earlier));
  return notes;
}

}  // namespace indexfuzz
