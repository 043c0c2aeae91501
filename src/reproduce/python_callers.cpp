#include "reproduce/python_callers.h"

#include "reproduce/python_parts.h"

namespace indexfuzz {

std::string python_callers(std::string_view text) {
  std::string definitions;
  for (const PythonCaller& caller : kPythonCallers) {
    if (!uses(text, caller.function)) continue;
    definitions += caller.before;
    definitions += caller.definition;
  }
  return definitions;
}

}  // namespace indexfuzz
