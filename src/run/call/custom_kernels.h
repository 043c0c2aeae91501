#pragma once
// Kernels that somebody registered with the dispatcher, found by their names.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/call/implementation.h"

namespace indexfuzz {

/// Where somebody's kernels are to be run.
struct KernelDevices {
  bool on_cpu = true;
  int gpu = -1;  ///< which one; -1: none
};

/// Adds "NS::NAME", all its overloads and NAME_, or "NS::NAME.OVERLOAD", once for each device that
/// it is registered for; returns one sentence where it cannot, or nothing, and notes where a GPU is
/// all that is missing. `requested`: the operators under test.
std::string add_kernel(Resolved& resolved, const std::string& name,
                       std::span<const OperatorInfo* const> requested,
                       const KernelDevices& devices);

/// Whether a namespace has a kernel for one of the operators, by its name.
bool has_kernels(std::string_view space, std::span<const OperatorInfo* const> requested);

/// Adds every operator of a namespace that has an operator's name, and says of each that cannot be
/// run why it is left out; returns an error where none is left, or nothing.
std::string add_namespace(Resolved& resolved, const std::string& space,
                          std::span<const OperatorInfo* const> requested,
                          const KernelDevices& devices);

}  // namespace indexfuzz
