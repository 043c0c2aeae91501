#pragma once
// What PyTorch's autograd makes of a call. An operator that selects, places or adds elements is
// linear in them, so that its gradient is one of our operators again: that of gather adds elements
// as scatter_add does. So is that of a product of ones, and of the maximum of one element. The
// rules follow from the operators' definitions.

#include <span>
#include <string>
#include <string_view>

#include "run/call/gradient_computations.h"
#include "run/call/plan.h"

namespace indexfuzz {

/// What stands in a Python expression for a placeholder.
struct PythonArgument {
  /// Of the operator whose gradient is taken: "{self}".
  std::string_view placeholder;
  std::string_view text;  ///< by placeholders of the operator that the gradient computes
};

/// How an operator is computed by the gradient of another.
struct GradientRule {
  std::string_view of;        ///< the operator whose gradient is taken: "gather"
  std::string_view overload;  ///< which of its overloads
  std::string_view op;        ///< what the gradient computes: "scatter_add"
  gradients::Computation* compute;
  // The same in Python, see gradient_python().
  std::span<const PythonArgument> python_arguments;  ///< the others keep their names
  std::string_view python_x;       ///< the value of x, the operand whose gradient is taken
  std::string_view python_grad;    ///< the gradient of y, the result of the call
  std::string_view python_result;  ///< the result, by {gradient}, that of x
  /// When a rule that computes the operator itself does so by the gradients of all operands: where
  /// the call broadcasts one. Null, and empty: never.
  gradients::Condition* by_all = nullptr;
  std::string_view python_by_all = {};
};

/// At most one for each operator whose gradient is taken, sorted by it.
std::span<const GradientRule> gradient_rules();

/// What the rule computes as a person writes it, see Form::python; by the function `gradient_of`,
/// which the programs define (reproduce/python_parts.h).
std::string gradient_python(const GradientRule& rule, const Plan& call);

}  // namespace indexfuzz
