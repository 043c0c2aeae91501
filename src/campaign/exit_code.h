#pragma once
// How a command ended: every reason that arose, and the one exit code that they make.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace indexfuzz {

enum class Reason : std::uint8_t {
  kNew,
  kFixed,
  kInconclusive,
  kStorage,
  kSetup,
  kDevice,
  kInterrupted
};
std::string_view name(Reason reason);  ///< as in summary.json: "new", "inconclusive"
std::optional<Reason> reason_of(std::string_view name);  ///< none for an unknown name

/// The worst reason counts, never the last: 75, 77, 1, 69, 3, 72, 0. `findings` replaces 77.
int exit_code(const std::vector<Reason>& reasons, int findings = 77);

}  // namespace indexfuzz
