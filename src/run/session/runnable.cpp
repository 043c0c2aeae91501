#include "run/session/runnable.h"

#include "ops/definition/illegal_rule.h"

namespace indexfuzz {

void make_runnable(const Case& drawn, RunnableCase& runnable) {
  runnable.named = drawn;
  runnable.applied = drawn;
  runnable.illegal = drawn.breaks != 0 && apply_rule(runnable.applied);
  if (drawn.breaks != 0 && !runnable.illegal) {
    runnable.named.breaks = 0;
    runnable.applied = runnable.named;
  }
}

}  // namespace indexfuzz
