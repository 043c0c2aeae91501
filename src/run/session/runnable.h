#pragma once
// A case as it is run.

#include "case/case.h"

namespace indexfuzz {

/// A case in the form in which it is run: legal, or with its rule applied.
struct RunnableCase {
  Case named;    ///< as drawn; breaks = 0 if the rule does not apply to it
  Case applied;  ///< what is laid out: `named` with its rule applied
  bool illegal = false;
};
/// Writes all of `runnable`: the drawn case, with the rule that it names applied if that is
/// possible.
void make_runnable(const Case& drawn, RunnableCase& runnable);

}  // namespace indexfuzz
