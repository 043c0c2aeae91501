#pragma once
// Type promotion: the dtype in which operands of several dtypes meet.
// https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc

#include <cstdint>
#include <optional>

#include "case/dtype.h"

namespace indexfuzz {

/// The dtype to which two dtypes promote, as torch.promote_types says; nullopt if PyTorch has no
/// such promotion (float8 with any other dtype; unsigned integers of 16 bits and more with bool,
/// other integers and complex numbers).
std::optional<Dtype> promote(Dtype a, Dtype b);

/// How much an operand's dtype counts in a promotion: within a category (integers, floating point,
/// complex numbers) the operand of lower weight is ignored.
enum class Weight : std::uint8_t { kNumber, kZeroDim, kDimensioned };

/// A kNumber has a dtype of kScalarDtypes and counts as PyTorch's default dtype of its category.
struct Weighed {
  Dtype dtype;
  Weight weight;
};

/// The dtype to which two operands promote, as torch.result_type says. nullopt if PyTorch has no
/// such promotion, and for bfloat16 with a complex operand of lower weight, whose result depends on
/// the version: complex64 up to PyTorch 2.14, a complex dtype with bfloat16 components after.
std::optional<Dtype> result_type(Weighed a, Weighed b);

}  // namespace indexfuzz
