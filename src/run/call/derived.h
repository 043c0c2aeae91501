#pragma once
// Implementations that are made of a kernel: its gradient, its batching rule, its meta
// function.

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/call/implementation.h"

namespace indexfuzz {

/// Registers `call` for the CPU and for GPUs as "NAMESPACE::NAME" with an overload, unless this
/// process has done so. `call` replaces the arguments at the end of the stack by the results.
c10::OperatorHandle register_derived(const c10::OperatorName& name,
                                     const c10::FunctionSchema& schema,
                                     std::function<void(torch::jit::Stack&)> call);

/// "mine_gather_out", a name made of a kernel's.
std::string derived_name(const c10::OperatorName& kernel);

/// What makes the name of an implementation out of that of the kernel it is made of.
struct Affixes {
  std::string_view prefix;  ///< "gradient:"
  std::string_view suffix;  ///< "@meta"
};

/// For each custom kernel that `has` what the affixes stand for, though no implementation tests it:
/// "WHAT of KERNEL; to test it, name it: --impl PREFIX…SUFFIX". `what`: "the gradient". `has`:
/// whether the kernel of a functional plan has it.
std::vector<std::string> untested(std::span<const Implementation> implementations, Affixes affixes,
                                  std::string_view what, bool (*has)(const Plan& plan));

}  // namespace indexfuzz
