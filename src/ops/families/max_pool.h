#pragma once
// Shared by max_pool2d_with_indices and max_pool3d_with_indices: the largest element of each of
// several windows of every plane of self (of every volume, in three dimensions), and where in the
// plane it lies, counted in row-major order. The windows lie at equal distances. Of the two results
// an overload judges one.
// https://pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html
// https://pytorch.org/docs/stable/generated/torch.nn.MaxPool3d.html
//
// Agreement: exact, since elements are only compared. NaN is larger than any number. Of several
// elements that are the largest, zeros of both signs among them, any may be returned, and any may
// be named: which one is not documented. A plane may be one of a batch, whose size may be 0.
// Floating point of more than 8 bits, and the integers that ATen compares.
//
// The padding is negative infinity, as documented. A window whose places lie more than one element
// apart may step over self, and holds padding alone. No index is right for it; but it must name an
// element of the plane, since the gradient and max_unpool use it to reach one. Only ATen is asked
// for such an index. Integers, of which none is infinite, have no such windows.

#include "ops/definition/operator.h"
#include "ops/families/pool_geometry.h"

namespace indexfuzz {

namespace max_pool {
/// The places of the results: Overload::judged.
inline constexpr std::size_t kValues = 0, kIndices = 1, kResults = 2;
inline constexpr std::string_view kWhySeveral =
    "Where several elements of a window are the largest, any of them is right";
/// The spare `out` of the overloads that judge one of them.
inline constexpr SpareOut kSpareIndices{"indices", false}, kSpareValues{"out", true};
}  // namespace max_pool
inline constexpr OperandSpec kMaxPoolOperands[] = {{"self", Role::kValue}};

/// (self, kernel_size, stride, padding, dilation, ceil_mode), for `kDims` dimensions of a plane,
/// without ceil_mode. The attributes are those of the gradient (ops/families/pool_backward.h).
template <std::uint8_t kDims>
inline constexpr Parameter kFloorPoolParameters[] = {
    operand(pool::kSelf),
    attribute_list(0, kDims, "kernel_size"),
    attribute_list(kDims, pool::kPadding - kDims, "stride"),
    attribute_list(pool::kPadding, 1, "padding"),
    attribute_list(pool::kDilation, 1, "dilation"),
    nothing("ceil_mode")};

/// OperatorInfo::repair, ::result, ::oracle, ::contributions and ::aten_only. Windows are no larger
/// and no more than an oracle can look at one by one.
void repair_max_pool(Case& c, const Limits& limits);
ResultSpec largest_elements(const Case& c);
void find_largest(const OracleInput& input, std::byte* destination);
void pass_largest(const OracleInput& input, ContributionSink sink, void* context);
bool names_element_for_padding(const Case& c);

}  // namespace indexfuzz
