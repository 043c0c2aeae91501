#include "campaign/examine/finding_publisher.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

namespace indexfuzz {
namespace {

// Each may hold several GB while it imports torch.
constexpr std::size_t kMostPrograms = 8;

}  // namespace

void FindingPublisher::save(const Finding& finding) {
  const std::string& id = finding.signature.id;
  const bool first =
      store_.save_finding(id, finding_files(finding, hello_, options_.worker.libraries));
  store_.log({{"event", first ? "finding" : "met again"},
              {"id", id},
              {"signature", finding.signature.text},
              {"known", finding.known},
              {"seconds", finding.first_seconds}});
  if (first) {
    listener_.saved(finding);
  } else {
    listener_.met_again(finding);
  }
  // The programs of a listed failure were run when it was entered in the ledger.
  if (!options_.verify || finding.known) return;
  verifier_.add(id, store_.finding(id));
  ++unchecked_;
}

void FindingPublisher::share_processors(bool with_workers) {
  const std::size_t cores = std::thread::hardware_concurrency();
  verifier_.run_at_once(
      std::clamp<std::size_t>(with_workers ? cores / 4 : cores, 1, kMostPrograms));
}

void FindingPublisher::take_checked() {
  const auto ended = verifier_.poll();
  if (!ended) return;
  const ProgramResult& result = *ended;
  --unchecked_;
  auto& findings = finder_.findings();
  const auto finding =
      std::ranges::find_if(findings, [&](const Finding& f) { return f.signature.id == result.id; });
  if (finding == findings.end()) return;
  finding->repro_py = result.python;
  finding->repro_cpp = result.cpp;
  if (withdrawn(*finding)) finder_.withdraw(*finding);
  store_.update_finding(result.id, verified_json(*finding));
  if (!result.note.empty()) {
    store_.log({{"event", withdrawn(*finding) ? "withdrawn" : "unchecked"},
                {"id", result.id},
                {"note", result.note}});
  }
  store_.mark_withdrawn(result.id, withdrawn(*finding) ? result.note : "");
  listener_.checked(*finding, result.note);
}

}  // namespace indexfuzz
