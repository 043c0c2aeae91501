#pragma once
// The call under test in a Python program, and what its outcome is checked for.

#include <string>

#include "reproduce/program_plan.h"
#include "reproduce/reproduction.h"

namespace indexfuzz {

/// Lines that make the call and note in `wrong` what is wrong with its outcome, or end the program.
std::string call_under_test(const Reproduction& reproduction, const ProgramPlan& plan,
                            const std::string& call);

}  // namespace indexfuzz
