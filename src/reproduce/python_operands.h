#pragma once
// Operands in the Python programs.

#include <cstddef>
#include <string>

#include "reproduce/program_plan.h"

namespace indexfuzz {

/// The lines that create operand k under the name that the plan gives it.
std::string python_operand(const ProgramPlan& plan, std::size_t k);
/// The variable that holds operand k's elements: of a table, its last slices.
std::string elements_of(const ProgramPlan& plan, std::size_t k);
/// "[715827881:]": the last slices of an operand that is a table.
std::string python_last_slices(const Operand& operand);
/// The variable that holds all memory that operand k lies in; of a table, that of its last slices.
std::string memory_of(const ProgramPlan& plan, std::size_t k);

}  // namespace indexfuzz
