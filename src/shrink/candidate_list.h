#pragma once
// Candidates of shrinking, collected. Private to this folder.

#include <vector>

#include "case/limits.h"
#include "ops/operator.h"
#include "shrink/measure.h"

namespace indexfuzz {

/// Collects what is simpler than a case. Every candidate is repaired, so that a step may be as
/// blunt as it likes.
class Candidates {
 public:
  Candidates(const Case& c, const Limits& limits) : base_(c), limits_(limits), most_(measure(c)) {}

  /// Offers the case changed by `step(Case&)`.
  template <typename Step>
  void offer(Step&& step) {
    Case candidate = base_;
    step(candidate);
    repair(candidate, limits_);
    consider(candidate);
    if (keep_masks(candidate)) consider(candidate);
  }
  /// Offers the case with operand k changed by `step(Operand&)`.
  template <typename Step>
  void offer_operand(std::size_t k, Step&& step) {
    offer([&](Case& c) { step(c.operands[k]); });
  }
  std::vector<Case> take() { return std::move(cases_); }

 private:
  void consider(const Case& candidate);
  /// Repair gives a mask that became too small for its popcount any other one; a full mask stays
  /// full.
  bool keep_masks(Case& candidate) const;

  const Case& base_;
  const Limits& limits_;
  Measure most_;
  std::vector<Case> cases_;
};

/// One size, dimension or pair of sizes smaller; of a dimension, from all operands or from one.
void offer_shapes(const Case& c, Candidates& out);
/// The same of a few sizes, with the guard page right behind every operand: what reaches far beyond
/// one that ends elsewhere needs many elements to come to a page.
void offer_shapes_before_guards(const Case& c, Candidates& out);
/// Where only the product of two sizes matters, in the result say, the sum may still fall.
void offer_trades(const Case& c, Candidates& out);

/// Every size smaller at once, with other elements: what a few of many elements showed, by their
/// seed and place, another seed shows with a few.
void offer_values(const Case& c, Candidates& out);
/// Every size a little smaller or half as large, with other masks of the same density: what the
/// pattern of a larger one showed somewhere.
void offer_masks(const Case& c, Candidates& out);
/// One size smaller, with other seeds for that operand.
void offer_seeds(const Case& c, Candidates& out);

/// One layout trait less.
void offer_layouts(const Case& c, Candidates& out);
/// One plain trait in place of all that an operand's place in memory has, the lightest first: where
/// any but the contiguous layout fails, all such cases end as the same one.
void offer_plain_layouts(const Case& c, Candidates& out);
/// Contiguous, with the guard page in front.
void lay_plainly(Operand& operand);

}  // namespace indexfuzz
