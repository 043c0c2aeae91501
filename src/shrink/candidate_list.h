#pragma once
// Collects the shrink candidates of a case. Private to this folder.

#include <vector>

#include "case/limits.h"
#include "ops/repair/repair.h"
#include "shrink/measure.h"

namespace indexfuzz {

/// Collects the candidates that are simpler than a case. offer() repairs every candidate, so a step
/// may leave it illegal.
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
  /// For masks that became too small for their popcount: sets all their elements, where repair()
  /// would pick an arbitrary smaller popcount. Returns whether it changed any.
  bool keep_masks(Case& candidate) const;

  const Case& base_;
  const Limits& limits_;
  Measure most_;
  std::vector<Case> cases_;
};

/// Offers smaller shapes: a smaller size, a dimension dropped or joined with the next one, in all
/// operands or in one of them; or one size of two operands reduced together.
void offer_shapes(const Case& c, Candidates& out);
/// Offers a few smaller sizes with the end of every operand at its guard page. Elsewhere an access
/// far beyond an operand needs many elements to reach that page.
void offer_shapes_before_guards(const Case& c, Candidates& out);
/// Makes a size smaller wherever it occurs and, in proportion, one number that may depend on it:
/// how far a diagonal lies from the main one, where a slice begins, the size of the output. A size
/// that is a multiple of such a number stays one.
void offer_sizes_with_attributes(const Case& c, Candidates& out);
/// Halves one size and enlarges another, so that their product does not fall. If only that product
/// matters, as the size of the result, the number of elements may fall all the same.
void offer_trades(const Case& c, Candidates& out);

/// Makes every size smaller at once, with other seeds. A failure that depends on a few of many
/// elements may occur with few elements under another seed.
void offer_values(const Case& c, Candidates& out);
/// Makes every size a little smaller or half as large, with random masks of the same density: a
/// pattern of a large mask that matters may occur in a small one.
void offer_masks(const Case& c, Candidates& out);
/// Makes one size smaller, with other seeds for that operand.
void offer_seeds(const Case& c, Candidates& out);

/// Removes layout traits or makes them smaller, mostly one at a time.
void offer_layouts(const Case& c, Candidates& out);
/// Replaces an operand's whole layout by one plain trait, the lightest first: cases that fail under
/// any layout but the contiguous one then all shrink to the same case.
void offer_plain_layouts(const Case& c, Candidates& out);
/// Makes the operand contiguous, with its guard page in front.
void lay_plainly(Operand& operand);

}  // namespace indexfuzz
