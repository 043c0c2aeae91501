#pragma once
// Operands in the Python programs.

#include <cstddef>
#include <string>

#include "reproduce/program_plan.h"

namespace indexfuzz {

/// The lines that create operand k under the name that the plan gives it.
std::string python_operand(const ProgramPlan& plan, std::size_t k);
/// The variable that holds all memory that operand k lies in.
std::string memory_of(const ProgramPlan& plan, std::size_t k);

}  // namespace indexfuzz
