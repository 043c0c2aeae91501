#pragma once
// `vmap:NAMESPACE::NAME` as implementations: the rule by which a custom kernel is computed for a
// batch, tested as the kernel's operator. Those of PyTorch's own operators are form:vmap.

#include <span>
#include <string>
#include <vector>

#include "run/call/custom_kernels.h"
#include "run/call/implementation.h"

namespace indexfuzz {

/// Adds the kernel "NS::NAME" under vmap, once for each device that it is registered for. Returns
/// one sentence if it cannot, else nothing; see add_kernel().
std::string add_under_vmap(Resolved& resolved, const std::string& kernel,
                           std::span<const OperatorInfo* const> requested,
                           const KernelDevices& devices);

/// Of custom kernels, a part of a sentence for each that has a batching rule that is not among the
/// implementations.
std::vector<std::string> untested_batching_rules(std::span<const Implementation> implementations);

}  // namespace indexfuzz
