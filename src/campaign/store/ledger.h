#pragma once
// Known findings. A ledger is TOML, and every finding has all of these fields:
//
//   [[finding]]
//   signature = "…"                  # exact, as `saved` prints it
//   reason = "…"                     # why it is known: an issue's address, a sentence
//   torch = ">=2.0, <2.7"
//   devices = ["cpu"]                # and "cuda"
//   case = "regressions/x.case"      # beside the ledger

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace indexfuzz {

/// A known finding: the fields of a `[[finding]]`, as checked by read_ledger().
struct LedgerEntry {
  std::string signature;
  std::string reason;
  std::string torch;  ///< a range of versions, for in_range()
  std::vector<std::string> devices;
  std::filesystem::path case_file;  ///< including the ledger's folder
};

/// Throws SetupError, "FILE:LINE:COLUMN: …", for the first error: the syntax; a field that is
/// missing, unknown or of another type; a range that cannot be read; an unknown device; a missing
/// case file; a signature listed twice with the same range and a common device.
std::vector<LedgerEntry> read_ledger(const std::filesystem::path& file);
/// As read_ledger(), for the text of a ledger. `file`: its path, for messages and cases' paths.
std::vector<LedgerEntry> parse_ledger(std::string_view text, const std::filesystem::path& file);

/// Whether a version such as "2.11.0+cpu" lies in a range such as ">=2.0, <2.7"; the empty range
/// holds all.
bool in_range(std::string_view version, std::string_view range);
/// Whether an entry applies to this version of torch and this device.
bool applies(const LedgerEntry& entry, std::string_view torch, std::string_view device);
/// The entry that applies and has exactly this signature; null if there is none. `implementation`:
/// that of the signature. The ledger may name it by any of its listed_names().
const LedgerEntry* find_entry(std::span<const LedgerEntry> ledger, std::string_view signature,
                              std::string_view torch, std::string_view implementation);

/// "cpu" of "aten:cpu", "cuda" of "mine::gather@cuda:1"; custom kernels run on the CPU if they name
/// no device, and so does what is called on "meta".
std::string device_of(std::string_view implementation);
/// The name that the ledger knows an implementation by, which is the same on every GPU:
/// "aten:cuda" for "aten:cuda:1".
std::string_view listed_name(std::string_view implementation);
/// The names under which the ledger may list failures of an implementation: listed_name() and, for
/// "form:nested_vmap", also "form:vmap", since what fails in a batch fails in a batch of batches,
/// too.
std::vector<std::string_view> listed_names(std::string_view implementation);

}  // namespace indexfuzz
