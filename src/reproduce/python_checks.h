#pragma once
// The call under test in a Python program, and the checks of its outcome.

#include <string>

#include "reproduce/program_plan.h"
#include "reproduce/reproduction.h"

namespace indexfuzz {

/// Lines that make the call and check its outcome: they note in the program's `wrong` what is
/// wrong, or end the program.
std::string call_under_test(const Reproduction& reproduction, const ProgramPlan& plan,
                            const std::string& call);

}  // namespace indexfuzz
