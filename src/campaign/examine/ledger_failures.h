#pragma once
// The ledger's entries as failures that a campaign can recognize when it meets them.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "campaign/examine/finding.h"
#include "campaign/hello.h"
#include "campaign/store/ledger.h"
#include "judge/signature.h"

namespace indexfuzz {

struct LedgerFailure {
  const LedgerEntry* entry = nullptr;
  std::uint32_t implementation = 0;  ///< index into the hello's
  Case minimal;
  Verdict verdict;        ///< as far as the signature tells it
  std::uint64_t key = 0;  ///< shrink key
  TraitSet essential;
  Signature signature;
  std::optional<Verdict> now;  ///< on its case, once that was run here
  bool met = false;            ///< in this campaign
};

/// The entries that apply to this torch and to a tested implementation, as failures, one for each
/// such implementation, those with most traits first. Left out are entries whose case does not have
/// exactly their signature, and cases that run after others, whose traits do not tell such a
/// failure. Throws SetupError for a case that cannot be read.
std::vector<LedgerFailure> ledger_failures(std::span<const LedgerEntry> ledger, const Hello& hello);

/// The name of PyTorch's own implementation on a custom kernel's device: "aten:cuda:0".
std::string aten_name(const ImplementationInfo& custom);
/// The entry of the same failure of ATen's, to which a custom kernel may forward such calls; null
/// if there is none. Does not tell whether ATen fails on this very case.
const LedgerEntry* entry_of_aten(const Finding& finding, std::span<const LedgerEntry> ledger,
                                 const Hello& hello);
/// As entry_of_aten(), for any failure of ATen's with the same key whose traits are among the
/// finding's, since the kernel may forward only some such calls. Reads every case that is listed.
const LedgerEntry* wider_entry_of_aten(const Finding& finding, std::span<const LedgerEntry> ledger,
                                       const Hello& hello);

}  // namespace indexfuzz
