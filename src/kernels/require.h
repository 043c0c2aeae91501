#pragma once
// The range check that an element body makes.

#include "strided.h"

namespace kernels {

/// On the device, a false condition ends the kernel as assert() does: with a line on stderr and
/// cudaErrorAssert from the next call that waits. Reading back a flag would cost every call a
/// synchronization. On the host this does nothing: indices are checked before a body runs, so that
/// a refused call writes nothing.
HOST_DEVICE inline void require_in_range([[maybe_unused]] bool in_range) {
#ifdef __CUDA_ARCH__
  if (!in_range) __assert_fail("an index is out of range", __FILE__, __LINE__, __func__);
#endif
}

}  // namespace kernels
