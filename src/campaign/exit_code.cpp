#include "campaign/exit_code.h"

#include <algorithm>

namespace indexfuzz {

std::string_view name(Reason reason) {
  switch (reason) {
    case Reason::kNew: return "new";
    case Reason::kFixed: return "fixed";
    case Reason::kInconclusive: return "inconclusive";
    case Reason::kStorage: return "storage";
    case Reason::kSetup: return "setup";
    case Reason::kDevice: return "device";
    case Reason::kInterrupted: return "interrupted";
  }
  return "";
}

std::optional<Reason> reason_of(std::string_view text) {
  for (const Reason reason : {Reason::kNew, Reason::kFixed, Reason::kInconclusive, Reason::kStorage,
                              Reason::kSetup, Reason::kDevice, Reason::kInterrupted}) {
    if (text == name(reason)) return reason;
  }
  return std::nullopt;
}

int exit_code(const std::vector<Reason>& reasons, int findings) {
  struct Code {
    Reason reason;
    int code;
  };
  const Code worst_first[] = {{Reason::kStorage, 75},     {Reason::kNew, findings},
                              {Reason::kFixed, findings}, {Reason::kSetup, 1},
                              {Reason::kDevice, 69},      {Reason::kInconclusive, 3},
                              {Reason::kInterrupted, 72}};
  for (const Code& entry : worst_first) {
    if (std::ranges::find(reasons, entry.reason) != reasons.end()) return entry.code;
  }
  return 0;
}

}  // namespace indexfuzz
