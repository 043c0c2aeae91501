// Laws of the repair that shrinking rests on.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "../written_case.h"
#include "case/bytes.h"
#include "ops/repair/repair.h"
#include "shrink/arbitrary.h"

namespace indexfuzz {
namespace {

Limits any_limits() {
  Limits limits;
  limits.max_rank = *rc::gen::inRange(1, 9);
  limits.max_elements = std::int64_t{1} << *rc::gen::inRange(0, 22);
  limits.max_storage_bytes =
      std::max<std::int64_t>(limits.max_elements * 16, std::int64_t{1} << *rc::gen::inRange(4, 23));
  limits.max_list_entries = *rc::gen::inRange(1, 6);
  limits.dtypes = *rc::gen::inRange<DtypeSet>(1, kAllDtypes + 1);
  const DtypeSet index[] = {set_of(Dtype::kInt32), set_of(Dtype::kInt64), kIndexDtypes};
  limits.index_dtypes = index[*rc::gen::inRange(0, 3)];
  for (bool* flag : {&limits.negative_indices, &limits.masks, &limits.strided, &limits.expanded,
                     &limits.overlapping, &limits.illegal, &limits.gpu, &limits.subnormal_sums}) {
    *flag = *rc::gen::arbitrary<bool>();
  }
  return limits;
}

/// Any structurally sound case: an encoded legal one with a few of its bytes changed, or noise.
Case any_case() {
  std::vector<std::byte> bytes(kEncodedBytes);
  if (*rc::gen::inRange(0, 3) != 0) encode(*rc::gen::arbitrary<Case>(), bytes.data());
  const int changes = *rc::gen::inRange(0, 60);
  for (int i = 0; i < changes; ++i) {
    bytes[*rc::gen::inRange(std::size_t{0}, bytes.size())] =
        static_cast<std::byte>(*rc::gen::inRange(0, 256));
  }
  return decode(bytes);
}

RC_GTEST_PROP(Repair, IsIdempotentUnderAnyLimits, ()) {
  const Limits limits = any_limits();
  Case once = any_case();
  const Case before = once;
  repair(once, limits);
  Case twice = once;
  repair(twice, limits);
  if (!(twice == once)) {
    RC_LOG() << "max_rank " << limits.max_rank << " max_elements " << limits.max_elements
             << " max_storage_bytes " << limits.max_storage_bytes << " max_list_entries "
             << limits.max_list_entries << " dtypes " << limits.dtypes << " index_dtypes "
             << limits.index_dtypes << " flags " << limits.negative_indices << limits.masks
             << limits.strided << limits.expanded << limits.overlapping << limits.illegal
             << "\nonce:\n"
             << to_text(once) << "twice:\n"
             << to_text(twice);
  }
  RC_ASSERT(twice == once);
}

RC_GTEST_PROP(Repair, KeepsWithinTheLimits, ()) {
  Limits limits = any_limits();
  // An operator that takes none of the dtypes keeps its own; all of them take this one.
  limits.dtypes |= set_of(Dtype::kFloat);
  Case c = any_case();
  repair(c, limits);
  const ResultSpec result = operator_of(c).result(c);
  RC_ASSERT(numel(result.shape) <= limits.max_elements);
  RC_ASSERT(c.breaks == 0 || limits.illegal);
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Operand& operand = c.operands[k];
    if (!operand.present) continue;
    const FillFamily fills = family(operand.fill.kind);
    const Strided view = strided(operand.shape, operand.layout);
    RC_ASSERT(numel(operand.shape) <= limits.max_elements);
    RC_ASSERT(view.storage_elements * static_cast<std::int64_t>(item_size(operand.dtype)) <=
              limits.max_storage_bytes);
    const Role role = spec_of(c, static_cast<int>(k)).role;
    if (role == Role::kScalar) {
      RC_ASSERT(contains(kScalarDtypes, operand.dtype) && operand.shape.empty());
    } else if (role == Role::kValue || role == Role::kZeroOrNot) {
      RC_ASSERT(contains(limits.dtypes, operand.dtype));
    } else if (fills == FillFamily::kIndex) {
      // Some operators take nothing else.
      RC_ASSERT(contains(limits.index_dtypes, operand.dtype) || operand.dtype == Dtype::kInt64);
    } else if (role == Role::kIndexOrMask) {
      RC_ASSERT(limits.masks && contains(kMaskDtypes, operand.dtype));
    }
    RC_ASSERT(limits.strided || is_contiguous(operand.layout));
    RC_ASSERT(limits.expanded || !has_expanded(operand.layout));
    RC_ASSERT(limits.overlapping || !has_sliding(operand.layout));
    RC_ASSERT(limits.negative_indices || operand.fill.negatives == Negatives::kNone);
  }
}

RC_GTEST_PROP(Repair, WhatItLeavesIsLegalAndRoundTripsAsText, ()) {
  Case c = any_case();
  repair(c, Limits{});
  RC_ASSERT(why_illegal(c) == "");
  const ParsedCases parsed = parse_cases(to_text(c));
  RC_ASSERT(parsed.error == "");
  RC_ASSERT(parsed.cases.back() == c);
}

}  // namespace
}  // namespace indexfuzz
