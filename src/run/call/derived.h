#pragma once
// Implementations that are made of a kernel: its gradient, its batching rule.

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/call/implementation.h"

namespace indexfuzz {

/// Registers `call` for the CPU and for GPUs as "NAMESPACE::NAME" with an overload, once a process.
/// It replaces the arguments at the end of the stack by the results.
c10::OperatorHandle register_derived(const c10::OperatorName& name,
                                     const c10::FunctionSchema& schema,
                                     std::function<void(torch::jit::Stack&)> call);

/// "mine_gather_out", a name made of a kernel's.
std::string derived_name(const c10::OperatorName& kernel);

/// Of custom kernels, a part of a sentence for each that has what the prefix ("gradient:") stands
/// for, and is not among the implementations with it. `what`: "the gradient". `has`: whether a
/// functional plan has it.
std::vector<std::string> untested(std::span<const Implementation> implementations,
                                  std::string_view prefix, std::string_view what,
                                  bool (*has)(const Plan& plan));

}  // namespace indexfuzz
