#include "campaign/examine/ledger_failures.h"

#include <algorithm>

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
    const auto implementation =
        std::ranges::find(hello.implementations, read->implementation, &ImplementationInfo::name);
    if (implementation == hello.implementations.end() ||
        !applies(entry, hello.torch, device_of(read->implementation)))
      continue;
    LedgerFailure& failure = failures.emplace_back();
    failure.entry = &entry;
    failure.implementation =
        static_cast<std::uint32_t>(implementation - hello.implementations.begin());
    failure.minimal = file.judged();
    failure.key = shrink_key(failure.minimal, read->verdict, read->implementation);
    failure.essential = read->essential;
    failure.signature =
        signature(failure.minimal, read->verdict, read->implementation, read->essential);
  }
  std::ranges::stable_sort(failures, std::greater(),
                           [](const LedgerFailure& f) { return f.essential.size(); });
  return failures;
}

}  // namespace indexfuzz
