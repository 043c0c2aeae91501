#pragma once
// What the ledger lists, as failures that a campaign can tell before it has met them.

#include <cstdint>
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
  bool met = false;  ///< in this campaign
};

/// Of the entries that apply to this torch and an implementation that is tested, those whose case
/// has exactly their signature, once for every such implementation; most traits first. A case
/// behind others is left out: what fails there cannot be told by its traits. Throws SetupError for
/// a case that cannot be read.
std::vector<LedgerFailure> ledger_failures(std::span<const LedgerEntry> ledger, const Hello& hello);

/// What PyTorch's own operators are called where a custom kernel's operands lie: "aten:cuda:0".
std::string native_name(const ImplementationInfo& custom);
/// The entry of a failure of ATen's that looks like a custom kernel's, which may hand such cases on
/// to it; null where there is none. Whether ATen fails on that very case it does not tell.
const LedgerEntry* entry_of_native(const Finding& finding, std::span<const LedgerEntry> ledger,
                                   const Hello& hello);
/// The same of any failure of ATen's whose traits are among the finding's: the kernel may hand some
/// of such cases on. Reads every case that the ledger lists.
const LedgerEntry* wider_entry_of_native(const Finding& finding,
                                         std::span<const LedgerEntry> ledger, const Hello& hello);

}  // namespace indexfuzz
