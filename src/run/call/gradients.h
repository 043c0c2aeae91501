#pragma once
// Operators computed by the gradient of another call. An operator that selects, places or adds
// elements is linear in them, so that its gradient is one of the operators under test: that of
// gather adds elements as scatter_add does. The same holds for the gradient of a product of ones
// and of the maximum of one element. The rules follow from the operators' definitions.

#include <span>
#include <string>
#include <string_view>

#include "run/call/gradient_computations.h"
#include "run/call/plan.h"

namespace indexfuzz {

/// A placeholder in the Python text of the call whose gradient is taken, and what replaces it.
struct PythonArgument {
  /// Of the operator whose gradient is taken: "{self}".
  std::string_view placeholder;
  std::string_view text;  ///< with placeholders of the operator that the gradient computes
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
  /// Set in rules whose `of` is `op`: for which arguments of `op` result_by_backward() takes the
  /// place of `compute`. It takes the gradients of all operands: where one is broadcast, since its
  /// gradient then is a sum over its copies and no result of `op`; and in some calls of an operator
  /// with two operands, since `compute` takes that of self alone. `python_by_all`: the same
  /// condition in Python. Null, and empty: never.
  gradients::Condition* by_all = nullptr;
  std::string_view python_by_all = {};
};

/// Sorted by `of`; at most one for each.
std::span<const GradientRule> gradient_rules();

/// The result of the rule as a person writes it, see Form::python, by the program's function
/// `gradient_of` (reproduce/python_callers.h).
std::string gradient_python(const GradientRule& rule, const Plan& call);

}  // namespace indexfuzz
