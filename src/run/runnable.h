#pragma once
// A case as it is run.

#include "case/case.h"

namespace indexfuzz {

/// A legal case, or one with its rule applied, as it is to be run.
struct RunnableCase {
  Case named;    ///< as drawn; breaks = 0 where the rule does not apply to it
  Case applied;  ///< what is laid out: `named` with its rule applied
  bool illegal = false;
};
void make_runnable(const Case& drawn, RunnableCase& runnable);

}  // namespace indexfuzz
