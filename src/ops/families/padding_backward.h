#pragma once
// Shared by the gradients of the operators that pad: to zeros of self's shape (operand 0), each
// element of grad_output (operand 1) is added at the place that the padding copied it from. The
// values of self play no part.
//
// Agreement: exact, since floating point is filled so that every sum is exact in every order. A
// real zero may have either sign; of complex numbers what Agreement::kSum admits is right, too.
// Floating point and complex numbers of more than 8 bits a part.

#include <array>

#include "ops/definition/operator.h"
#include "ops/families/padding_geometry.h"

namespace indexfuzz {

inline constexpr OperandSpec kPaddingGradOperands[] = {{"self", Role::kValue},
                                                       {"grad_output", Role::kValue}};
/// (grad_output, self, padding), for `kDims` padded dimensions.
template <std::uint8_t kDims>
inline constexpr Parameter kPaddingGradParameters[] = {operand(1), operand(0),
                                                       attribute_list(0, 2 * kDims, "padding")};

extern const std::array<IllegalRule, 15> reflection_backward_rules;
extern const std::array<IllegalRule, 14> replication_backward_rules;

/// OperatorInfo::repair.
void repair_reflection_backward(Case& c, const Limits& limits);
void repair_replication_backward(Case& c, const Limits& limits);

/// OperatorInfo::oracle.
void add_reflected(const OracleInput& input, std::byte* destination);
void add_replicated(const OracleInput& input, std::byte* destination);

/// OperatorInfo::agreement.
Agreement padding_grad_agreement(const Case& c);

/// OperatorInfo::terms: how many elements of grad_output meet in one of the result at most.
std::int64_t reflected_terms(const Case& c, int operand);
std::int64_t replicated_terms(const Case& c, int operand);

}  // namespace indexfuzz
