#include "campaign/workers/outcome.h"

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

int worse(int a, int b) {
  for (const int code : {75, 77, 1, 69, 3, 72}) {
    if (a == code || b == code) return code;
  }
  return a != 0 ? a : b;
}

}  // namespace indexfuzz
