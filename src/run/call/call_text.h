#pragma once
// A registered operator's call as a person writes it, in Python and C++.

#include <string>
#include <string_view>

#include "run/call/plan.h"

namespace indexfuzz {

/// `torch.ops.NS.NAME.OVERLOAD({self}, {dim}, {index})`; an expression whose value is the result,
/// even if the schema returns nothing.
std::string python_call(const Plan& plan);
/// As python_call(), but in C++, through the dispatcher: an expression of type at::Tensor that
/// needs <ATen/core/dispatch/Dispatcher.h>.
std::string cpp_call(const Plan& plan);

/// `FUNCTION(lambda self, index: CALL, {self}, {index})`: a Python template in which a function of
/// the program makes the call on tensors that it is given.
std::string called_by(std::string_view function, const Plan& plan, std::string_view call);

/// As called_by(), with the keyword argument `in_place` if the call writes its first operand.
std::string called_or_written_by(std::string_view function, const Plan& plan,
                                 std::string_view call);

/// "{self}", which stands for the operand in a template.
std::string placeholder_of(const OperandSpec& operand);

}  // namespace indexfuzz
