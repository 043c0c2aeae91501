#pragma once
// Type promotion: the dtype in which operands of several dtypes meet.
// https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc

#include <cstdint>
#include <optional>

#include "case/dtype.h"

namespace indexfuzz {

/// The dtype of a result of two dtypes, as torch.promote_types says; none where PyTorch has no such
/// promotion (float8 with any other dtype, unsigned integers of 16 bits and more with other
/// integers and with complex numbers).
std::optional<Dtype> promote(Dtype a, Dtype b);

/// How much an operand's dtype counts in a promotion: within a category (integers, floating point,
/// complex numbers) the lower one has no say.
enum class Weight : std::uint8_t { kNumber, kZeroDim, kDimensioned };

/// A number, of kScalarDtypes, counts as PyTorch's default dtype of its category.
struct Weighed {
  Dtype dtype;
  Weight weight;
};

/// The dtype of a result of two operands, as torch.result_type says; none where PyTorch has no such
/// promotion, and for bfloat16 over a complex number or 0-dimensional tensor, which is complex64 up
/// to PyTorch 2.14 and a complex dtype of bfloat16 components after.
std::optional<Dtype> result_type(Weighed a, Weighed b);

}  // namespace indexfuzz
