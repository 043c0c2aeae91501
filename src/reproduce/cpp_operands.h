#pragma once
// The operands of a call in the C++ programs: their values, their memory, how the call names them.

#include <string>

#include "reproduce/write_call.h"

namespace indexfuzz {

/// How a call's lists, numbers and attributes are written in C++.
CallWriter cpp_call_writer();

/// "{3, 4}".
std::string cpp_ints(const Dims& dims);

/// The definitions of the values of all present operands: `self_values`.
std::string cpp_operand_values(const ProgramPlan& plan);
/// As cpp_operand_values(), then the expected result and what else is admissible.
std::string cpp_values_and_result(const ProgramPlan& plan);

/// The statements that create operand k, a present tensor.
std::string cpp_operand(const ProgramPlan& plan, std::size_t k);

}  // namespace indexfuzz
