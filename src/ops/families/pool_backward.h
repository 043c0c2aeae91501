#pragma once
// Shared by the gradients of poolings that took the largest element of each of several windows of
// every plane of self (of every volume, in three dimensions), and returned where in the plane it
// lies. To planes of zeros of self's shape they add element i of a plane of grad_output to element
// indices[i] of the plane at the same place, counted in row-major order.
//
// Agreement: exact; floating point is filled so that every sum is exact in every order. A zero may
// have either sign, since an implementation may multiply what it leaves out by 0. A plane may be
// one of a batch; only the first of the dimensions of batch and channels may have size 0, and only
// with a batch. Indices are int64, of grad_output's shape, never negative, and may lie outside
// their windows. Where windows do not overlap, no two of them name the same element, as none that
// the pooling returned do: there a kernel need not add. The values of self play no part. Floating
// point of more than 8 bits.
//
// A custom kernel need not refuse an index out of range, since the forward pass has done that, but
// it must not touch memory that is not its own. There is no rule against a grad_input that is
// grad_output, of which nothing is documented.

#include <array>

#include "ops/operator.h"

namespace indexfuzz {

/// The operands of a case; in ATen's calls grad_output comes first.
inline constexpr int kPoolSelf = 0, kPoolIndices = 1, kPoolGrad = 2;
inline constexpr OperandSpec kPoolOperands[] = {
    {"self", Role::kValue}, {"indices", Role::kIndex}, {"grad_output", Role::kValue}};

/// (grad_output, self, indices).
inline constexpr Parameter kAdaptivePoolParameters[] = {{Parameter::Kind::kOperand, kPoolGrad},
                                                        {Parameter::Kind::kOperand, kPoolSelf},
                                                        {Parameter::Kind::kOperand, kPoolIndices}};
/// (grad_output, self, kernel_size, output_size, indices), for `kDims` dimensions of a plane.
template <std::uint8_t kDims>
inline constexpr Parameter kFractionalPoolParameters[] = {
    {Parameter::Kind::kOperand, kPoolGrad},
    {Parameter::Kind::kOperand, kPoolSelf},
    {Parameter::Kind::kAttributeList, 0, kDims, "kernel_size"},
    {Parameter::Kind::kAttributeList, kDims, kDims, "output_size"},
    {Parameter::Kind::kOperand, kPoolIndices}};

/// The dimensions of a plane: one less than the operator's least rank.
int pooled_dims(const Case& c);

/// OperatorInfo::repair, where the sizes of self and grad_output alone say what the windows are:
/// any number of them, which overlap unless they divide self without a rest.
void repair_adaptive_pool_backward(Case& c, const Limits& limits);

/// OperatorInfo::repair of the pooling with windows at random places: the attributes are the sizes
/// of a window, then those of a plane of grad_output. As in the forward pass a window fits in self
/// as often as there are windows, each one element further.
/// https://pytorch.org/docs/stable/generated/torch.nn.FractionalMaxPool2d.html
void repair_fractional_pool_backward(Case& c, const Limits& limits);

/// OperatorInfo::index_bound, ::terms and ::oracle.
std::int64_t plane_of_self(const Case& c, int operand);
std::int64_t plane_of_grad(const Case& c, int operand);
void add_to_planes(const OracleInput& input, std::byte* destination);

extern const std::array<IllegalRule, 15> adaptive_pool_backward_rules;
extern const std::array<IllegalRule, 17> fractional_pool_backward_rules;

}  // namespace indexfuzz
