#pragma once
// `gradient:NAMESPACE::NAME` as implementations: the gradient of an operator of PyTorch, or of a
// custom kernel that registers one, tested as the operator that it computes.

#include <span>
#include <string>
#include <vector>

#include "run/call/custom_kernels.h"
#include "run/call/implementation.h"

namespace indexfuzz {

/// "gradient:aten::gather", …: those of PyTorch's own operators that compute one of these.
std::vector<std::string> gradient_names(std::span<const OperatorInfo* const> requested);

/// Adds the gradient of the kernel "NS::NAME", once for each device that it is registered for.
/// Returns one sentence if it cannot, else nothing; see add_kernel().
std::string add_gradient(Resolved& resolved, const std::string& kernel,
                         std::span<const OperatorInfo* const> requested,
                         const KernelDevices& devices);

/// Of custom kernels, a part of a sentence for each that may have a gradient that is not among the
/// implementations.
std::vector<std::string> untested_gradients(std::span<const Implementation> implementations);

}  // namespace indexfuzz
