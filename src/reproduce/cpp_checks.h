#pragma once
// The call under test in a C++ program, and the checks of its outcome.

#include <string>

#include "judge/verdict.h"
#include "reproduce/program_plan.h"

namespace indexfuzz {

/// Statements that make the call and check its outcome for a failure of `kind`: they note in the
/// program's `wrong` what is wrong, or end the program.
std::string call_under_test(const ProgramPlan& plan, Kind kind, const std::string& call);

}  // namespace indexfuzz
