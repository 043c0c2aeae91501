#pragma once
// Kernels that are registered with the dispatcher, found by their names.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/call/implementation.h"

namespace indexfuzz {

/// The devices on which custom kernels are run.
struct KernelDevices {
  bool on_cpu = true;
  int gpu = -1;  ///< which one; -1: none
  /// Whether to run their meta functions instead, whatever devices the kernels are for.
  bool meta = false;
};

/// "@cuda": distinguishes an implementation on a GPU from the one on the CPU.
std::string gpu_suffix(int gpu);

/// Adds "NS::NAME" (all its overloads and NAME_) or "NS::NAME.OVERLOAD", once for each device that
/// it is registered for. Returns one sentence if it cannot, else nothing; sets
/// `resolved.device_missing` if only a GPU is missing. `requested`: the operators under test.
std::string add_kernel(Resolved& resolved, const std::string& name,
                       std::span<const OperatorInfo* const> requested,
                       const KernelDevices& devices);

/// Whether a namespace has a kernel with the name of one of the operators.
bool has_kernels(std::string_view space, std::span<const OperatorInfo* const> requested);

/// Adds every kernel of a namespace whose name is that of a requested operator. For each that
/// cannot be run, notes in `resolved.left_out` why. Returns an error if none could be added, else
/// nothing.
std::string add_namespace(Resolved& resolved, const std::string& space,
                          std::span<const OperatorInfo* const> requested,
                          const KernelDevices& devices);

}  // namespace indexfuzz
