#pragma once
// The call under test in a C++ program, and what its outcome is checked for.

#include <string>

#include "judge/verdict.h"
#include "reproduce/program_plan.h"

namespace indexfuzz {

/// Lines that make the call and note in `wrong` what is wrong with its outcome, of a failure of
/// this kind, or end the program.
std::string call_under_test(const ProgramPlan& plan, Kind kind, const std::string& call);

}  // namespace indexfuzz
