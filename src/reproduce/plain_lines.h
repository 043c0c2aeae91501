#pragma once
// A call as a person writes it: nothing around it is looked at.

#include <string>

#include "reproduce/program_plan.h"

namespace indexfuzz {

/// The Python lines that make the operands, each in one expression, and the call, an expression.
struct CallLines {
  std::string operands, call;
};
CallLines call_lines(const ProgramPlan& plan, const CallSite& site);

/// Whether a call has so many elements that kernels may split it among all threads that there are.
bool may_be_split(const Case& c);

}  // namespace indexfuzz
