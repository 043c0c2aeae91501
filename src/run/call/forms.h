#pragma once
// Composite forms: the same result by other operators of PyTorch, as implementations `form:NAME`.
// Each is registered with the dispatcher under its operator's schema, so that it is bound and
// called as every other kernel is. They are judged on legal cases only: what is illegal for the one
// may well be legal for the other.

#include <span>
#include <string_view>

namespace indexfuzz {

struct CompositeForm {
  std::string_view name;    ///< "gather_as_index"
  std::string_view op;      ///< the operator that it computes
  std::string_view python;  ///< as a person writes it, see Form::python
};

/// By their names.
std::span<const CompositeForm> composite_forms();

/// The namespace in which they are registered.
inline constexpr std::string_view kFormSpace = "indexfuzz_form";

/// `form:contiguous` calls every operator on contiguous copies of its operands: layout must not
/// matter. Its kernels stand in this namespace under the names of ATen's functional forms.
inline constexpr std::string_view kContiguousSpace = "indexfuzz_contiguous";

}  // namespace indexfuzz
