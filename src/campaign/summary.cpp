#include "campaign/summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "campaign/counts/held_traits.h"
#include "campaign/counts/native_totals.h"
#include "campaign/store/json_text.h"
#include "campaign/store/summary_file.h"
#include "indexfuzz_config.h"
#include "ops/definition/operator.h"

namespace indexfuzz {
namespace {

using nlohmann::ordered_json;

ordered_json mix_json(const MixTotals& mix) {
  const auto part_of = [](std::uint64_t count, std::uint64_t all) {
    return rounded(
        static_cast<double>(count) / static_cast<double>(std::max<std::uint64_t>(all, 1)), 1e4);
  };
  const auto part = [&](std::uint64_t count) { return part_of(count, mix.cases); };
  return {{"drawn", mix.cases},
          {"empty", part(mix.empty)},
          {"strided", part(mix.strided)},
          {"expanded", part(mix.expanded)},
          {"overlapping", part(mix.overlapping)},
          {"duplicates", part_of(mix.duplicates, mix.sampled)},
          {"illegal", part(mix.illegal)},
          {"median_elements", median_elements(mix)}};
}

/// Seconds are those of all workers together.
ordered_json gpu_json(const GpuTotals& gpu) {
  const auto of_256_calls = [&](std::uint64_t count) {
    return rounded(256 * static_cast<double>(count) /
                       static_cast<double>(std::max<std::uint64_t>(gpu.calls, 1)),
                   1e2);
  };
  return {{"calls", gpu.calls},
          {"batches", gpu.batches},
          {"copies_per_256_calls", of_256_calls(gpu.copies)},
          {"synchronizations_per_256_calls", of_256_calls(gpu.synchronizations)},
          {"fetched_per_256_calls", of_256_calls(gpu.fetched)},
          {"seconds",
           {{"waiting_for_cases", rounded(gpu.waiting, 1e3)},
            {"placing", rounded(gpu.placing, 1e3)},
            {"calling", rounded(gpu.calling, 1e3)},
            {"checking", rounded(gpu.checking, 1e3)},
            {"judging", rounded(gpu.judging, 1e3)},
            {"reporting", rounded(gpu.reporting, 1e3)},
            {"metering", rounded(gpu.metering, 1e3)},
            {"preparing_elsewhere", rounded(gpu.preparing, 1e3)}}}};
}

/// `skipped` is the sum of `unsupported`, `vacuous`, `steered` and `passed_over`.
ordered_json pair_json(const Totals& totals, const TestedPair& which) {
  const PairTotals& pair = totals.implementations[which.implementation][which.op];
  ordered_json json{
      {"agreed", pair.agreed},     {"refused", pair.refused},   {"skipped", skipped(pair)},
      {"findings", pair.findings}, {"narrowed", pair.narrowed}, {"unsupported", pair.unsupported},
      {"vacuous", pair.vacuous},   {"steered", pair.steered},   {"passed_over", pair.passed_over}};
  if (pair.narrowed > 0) json["refused_traits"] = refused_traits(totals, which);
  return json;
}

void add_held_traits(const CampaignStatus& status, const TestedPair& which, ordered_json& json) {
  const HeldTraits traits = held_traits(status.totals, *status.hello, which);
  if (traits.held.empty()) return;
  json["held_traits"] = traits.held;
  json["never_met"] = traits.never_met;
}

}  // namespace

ordered_json summary_json(const CampaignStatus& status, const SummaryFrame& frame) {
  const double rate = cases_per_second(status.totals.cases, status.seconds);
  ordered_json reasons = ordered_json::array();
  for (const Reason reason : frame.reasons) reasons.push_back(name(reason));
  ordered_json implementations = ordered_json::object();
  for (const auto& implementation : status.hello->implementations) {
    implementations[implementation.name] = ordered_json::object();
  }
  for (const TestedPair& pair : existing_pairs(*status.hello, frame.operators)) {
    ordered_json& json = implementations[status.hello->implementations[pair.implementation].name]
                                        [std::string(operators()[pair.op]->name)];
    json = pair_json(status.totals, pair);
    // It takes milliseconds for each pair: too long for what is written every few seconds.
    if (frame.state == "done") add_held_traits(status, pair, json);
  }
  const PairTotals all = sum(status.totals);
  ordered_json findings = ordered_json::array();
  for (const Finding* finding : status.findings)
    findings.push_back(summary_row(*finding, *status.hello));
  ordered_json summary{
      {"format", kSummaryFormat},
      {"state", frame.state},
      {"seconds", rounded(status.seconds, 1e3)},
      {"cases", status.totals.cases},
      {"cases_per_second", rounded(rate, 10)},
      {"exit_code", frame.exit_code},
      {"reasons", reasons},
      {"seed", frame.seed},
      {"jobs", frame.jobs},
      {"indexfuzz", config::kVersion},
      {"torch", status.hello->torch},
      {"mix", mix_json(status.totals.mix)},
      {"engines",
       {{"property", {{"cases", status.property_cases}}},
        {"coverage", {{"cases", status.coverage_cases}, {"corpus", status.corpus}}}}},
      {"implementations", implementations},
      {"findings", findings},
      {"steered", {{"cases", all.steered}, {"share", rounded(steered_share(all), 1e4)}}},
      {"unverified", std::vector(frame.unverified.begin(), frame.unverified.end())}};
  for (const auto& [key, count] : kKeyedCounts) summary[key] = status.*count;
  if (std::ranges::any_of(status.hello->implementations, &ImplementationInfo::on_gpu))
    summary["gpu"] = gpu_json(status.totals.gpu);
  if (status.native != nullptr) summary["native_coverage"] = native_json(add_up(*status.native));
  return summary;
}

}  // namespace indexfuzz
