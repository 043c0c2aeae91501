#pragma once
// `aten:meta` and `NAMESPACE::NAME@meta` as implementations: the shapes, dtypes and strides that
// meta functions give results.

#include <span>
#include <string>
#include <vector>

#include "run/call/implementation.h"

namespace indexfuzz {

/// Whether one of the names given by --impl stands for something on "meta".
bool names_meta(std::span<const std::string> names);

/// The implementation `aten` (PyTorch's own operators on the CPU) moved to "meta", without the
/// operators whose result has a shape that depends on data.
Implementation aten_on_meta(Implementation aten);

/// Adds the kernel "NS::NAME" on "meta". Returns one sentence if it cannot, else nothing; see
/// add_kernel().
std::string add_on_meta(Resolved& resolved, const std::string& kernel,
                        std::span<const OperatorInfo* const> requested);

/// Of custom kernels, a part of a sentence for each that has a meta function that is not among the
/// implementations.
std::vector<std::string> untested_meta_functions(std::span<const Implementation> implementations);

}  // namespace indexfuzz
