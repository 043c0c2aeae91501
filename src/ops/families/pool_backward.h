#pragma once
// Shared by the gradients of poolings that took the largest element of each of several windows of
// every plane of self (of every volume, in three dimensions), and returned where in the plane it
// lies. To planes of zeros of self's shape they add element i of a plane of grad_output to element
// indices[i] of the plane at the same place, counted in row-major order.
//
// Agreement: exact; floating point is filled so that every sum is exact in every order. A zero may
// have either sign, since an implementation may multiply what it leaves out by 0. A plane may be
// one of a batch; only the first of the dimensions of batch and channels may have size 0, and only
// with a batch. Indices are int64, of grad_output's shape, and never negative. Where the call says
// where the windows lie, each names an element of its own window, since a kernel may look for each
// element of self into the windows that hold it. Elsewhere they may lie outside their windows, but
// where windows do not overlap, no two of them name the same element, as none that the pooling
// returned do: there a kernel need not add. The values of self play no part. Floating point of more
// than 8 bits.
//
// A custom kernel need not refuse an index out of range, since the forward pass has done that, but
// it must not touch memory that is not its own. There is no rule against a grad_input that is
// grad_output, of which nothing is documented.

#include <span>

#include "ops/definition/operator.h"
#include "ops/families/pool_geometry.h"

namespace indexfuzz {

namespace pool {
/// The operands of a case beside self; in ATen's calls grad_output comes first.
inline constexpr int kIndices = 1, kGrad = 2;
}  // namespace pool
inline constexpr OperandSpec kPoolOperands[] = {
    {"self", Role::kValue}, {"indices", Role::kIndex}, {"grad_output", Role::kValue}};

/// (grad_output, self, indices).
inline constexpr Parameter kAdaptivePoolParameters[] = {operand(pool::kGrad), operand(pool::kSelf),
                                                        operand(pool::kIndices)};
/// (grad_output, self, kernel_size, output_size, indices), for `kDims` dimensions of a plane.
template <std::uint8_t kDims>
inline constexpr Parameter kFractionalPoolParameters[] = {
    operand(pool::kGrad), operand(pool::kSelf), attribute_list(0, kDims, "kernel_size"),
    attribute_list(kDims, kDims, "output_size"), operand(pool::kIndices)};

/// (grad_output, self, kernel_size, stride, padding, dilation, ceil_mode, indices), for `kDims`
/// dimensions of a plane. The attributes are the sizes of a window, the strides from one to the
/// next (a single one for all three dimensions of a volume), padding and dilation.
template <std::uint8_t kDims>
inline constexpr Parameter kMaxPoolParameters[] = {
    operand(pool::kGrad),
    operand(pool::kSelf),
    attribute_list(0, kDims, "kernel_size"),
    attribute_list(kDims, pool::kPadding - kDims, "stride"),
    attribute_list(pool::kPadding, 1, "padding"),
    attribute_list(pool::kDilation, 1, "dilation"),
    nothing("ceil_mode"),
    operand(pool::kIndices)};

/// The sizes of a plane of grad_output as the fractional pooling is told them.
std::span<std::int64_t> output_sizes(Case& c);

/// OperatorInfo::repair, where the sizes of self and grad_output alone say what the windows are:
/// any number of them, which overlap unless they divide self without a rest.
void repair_adaptive_pool_backward(Case& c, const Limits& limits);

/// OperatorInfo::repair of the pooling with windows at random places: the attributes are the sizes
/// of a window, then those of a plane of grad_output. As in the forward pass a window fits in self
/// as often as there are windows, each one element further.
/// https://pytorch.org/docs/stable/generated/torch.nn.FractionalMaxPool2d.html
void repair_fractional_pool_backward(Case& c, const Limits& limits);

/// OperatorInfo::repair of the pooling with windows at equal distances. The padding is at most half
/// of a window, and with padding the dilation is no longer than any dimension, so that each window
/// holds an element of self.
void repair_max_pool_backward(Case& c, const Limits& limits);
/// OperatorInfo::confine_indices and ::terms of that pooling.
void name_elements_of_windows(const Case& c, int operand, std::byte* indices);
std::int64_t windows_over_one_element(const Case& c, int operand);

/// OperatorInfo::index_bound, ::terms and ::oracle.
std::int64_t plane_of_self(const Case& c, int operand);
std::int64_t plane_of_grad(const Case& c, int operand);
void add_to_planes(const OracleInput& input, std::byte* destination);

}  // namespace indexfuzz
