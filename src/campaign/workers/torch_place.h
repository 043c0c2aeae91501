#pragma once
// Where LibTorch is on a machine other than the one that indexfuzz was built on.

#include <string>

#include "campaign/workers/pulse.h"

namespace indexfuzz {

/// Lets programs that this one starts find LibTorch: if the one that indexfuzz was built with is
/// not in its place, adds the torch of `python3` to LD_LIBRARY_PATH. Does so once; changes nothing
/// if that variable names a LibTorch already, or if `python3` has no torch. Throws Interruption as
/// soon as `pulse` is true while it waits for `python3`.
void point_to_torch(const Pulse& pulse);

/// The folder of LibTorch's libraries: that of the build or, after point_to_torch(), that of this
/// machine; empty if there is none.
std::string torch_libraries();

}  // namespace indexfuzz
