#include "campaign/examine/ledger_failures.h"

#include <algorithm>

#include "campaign/failure.h"
#include "campaign/store/case_file.h"
#include "judge/read_signature.h"

namespace indexfuzz {

std::vector<LedgerFailure> ledger_failures(std::span<const LedgerEntry> ledger,
                                           const Hello& hello) {
  std::vector<LedgerFailure> failures;
  for (const LedgerEntry& entry : ledger) {
    const CaseFile file = read_case_file(entry.case_file);
    if (file.cases.size() > 1) continue;
    const auto read = read_signature(entry.signature, file.judged());
    if (!read) continue;
    for (std::uint32_t i = 0; i < hello.implementations.size(); ++i) {
      const std::string& name = hello.implementations[i].name;
      const auto names = listed_names(name);
      if (std::ranges::find(names, read->implementation) == names.end() ||
          !applies(entry, hello.torch, device_of(name)))
        continue;
      LedgerFailure& failure = failures.emplace_back();
      failure.entry = &entry;
      failure.implementation = i;
      failure.minimal = file.judged();
      failure.verdict = read->verdict;
      failure.key = shrink_key(failure.minimal, read->verdict, name);
      failure.essential = read->essential;
      failure.signature = signature(failure.minimal, read->verdict, name, read->essential);
    }
  }
  std::ranges::stable_sort(failures, std::greater(),
                           [](const LedgerFailure& f) { return f.essential.size(); });
  return failures;
}

std::string aten_name(const ImplementationInfo& custom) {
  return "aten:" + custom.device;
}

const LedgerEntry* entry_of_aten(const Finding& finding, std::span<const LedgerEntry> ledger,
                                 const Hello& hello) {
  const ImplementationInfo& judged = hello.implementations[finding.implementation];
  if (!judged.custom) return nullptr;
  const std::string aten = aten_name(judged);
  Verdict verdict = finding.verdict;
  set_message(verdict, std::string(own_words(verdict.message.data())));
  const Signature same =
      signature(finding.minimal, verdict, aten, finding.essential, finding.before.size());
  return find_entry(ledger, same.text, hello.torch, aten);
}

const LedgerEntry* wider_entry_of_aten(const Finding& finding, std::span<const LedgerEntry> ledger,
                                       const Hello& hello) {
  Hello aten_alone;
  aten_alone.torch = hello.torch;
  aten_alone.implementations.emplace_back().name =
      aten_name(hello.implementations[finding.implementation]);
  const std::string& name = aten_alone.implementations.front().name;
  const std::uint64_t key = shrink_key(finding.minimal, finding.verdict, name);
  try {
    for (const LedgerFailure& failure : ledger_failures(ledger, aten_alone)) {
      if (failure.key == key && includes(finding.essential, failure.essential))
        return failure.entry;
    }
  } catch (const SetupError&) {
    // A case in the ledger that cannot be read is no reason to end a campaign.
  }
  return nullptr;
}

}  // namespace indexfuzz
