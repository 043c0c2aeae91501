#pragma once
// Composite forms: implementations `form:NAME` that get the same result by other operators of
// PyTorch. Each is registered with the dispatcher under its operator's schema, so that it is bound
// and called like any kernel. Forms are judged on legal cases only: what is illegal for an operator
// may be legal for its form.

#include <span>
#include <string_view>

namespace indexfuzz {

struct CompositeForm {
  std::string_view name;    ///< "gather_as_index"
  std::string_view op;      ///< the operator that it computes
  std::string_view python;  ///< as a person writes it, see Form::python
};

/// Sorted by name.
std::span<const CompositeForm> composite_forms();

/// The namespace in which they are registered.
inline constexpr std::string_view kFormSpace = "indexfuzz_form";

}  // namespace indexfuzz
