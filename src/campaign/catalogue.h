#pragma once
// The kernels that `selftest` tries: planted bugs, and correct kernels of different make.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace indexfuzz {

/// An entry of the catalogue: what a kernel is, and what a campaign on it must show.
struct PlantedKernel {
  std::string name;  ///< as --impl takes it
  std::string op;
  bool correct = false;            ///< any finding is a false alarm
  std::vector<std::string> kinds;  ///< of findings that count as caught; empty if it is correct
  std::int64_t elements = 0;       ///< of the smallest case that triggers it
  std::map<std::string, std::int64_t> elements_of;  ///< by kind, for kinds that take more
  bool rare = false;
  std::string needs;     ///< what the machine or the environment must offer: "two devices"
  std::string blames;    ///< what the finding's signature must contain; may be empty
  std::string contract;  ///< the text of the contract that it is tested under; empty: none
  std::string timeout;   ///< of its campaign's cases; empty for the default
};

/// Throws SetupError: "FILE:LINE:COLUMN: …".
std::vector<PlantedKernel> read_catalogue(const std::filesystem::path& file);

/// Elements of the smallest case that shows the defect as a finding of this kind.
std::int64_t declared_elements(const PlantedKernel& kernel, const std::string& kind);

}  // namespace indexfuzz
