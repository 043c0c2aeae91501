#include "run/call/vmap_implementations.h"

#include <ATen/core/function_schema.h>

#include <algorithm>

#include "run/call/derived.h"
#include "run/call/named_implementation.h"
#include "run/call/vmap.h"

namespace indexfuzz {
namespace {

const std::string kVmapSpace = "indexfuzz_vmap_of::";

bool has_batching_rule(const Plan& plan) {
  return plan.variant == Variant::kFunctional &&
         (plan.handle->hasKernelForDispatchKey(c10::DispatchKey::FuncTorchBatched) ||
          plan.handle->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd));
}

}  // namespace

std::string add_under_vmap(Resolved& resolved, const std::string& kernel,
                           std::span<const OperatorInfo* const> requested,
                           const KernelDevices& devices) {
  const std::string name = std::string(kVmapPrefix) + kernel;
  if (kernel.starts_with("aten::"))
    return name + ": PyTorch's own operators are tested by form:vmap";
  Resolved alone;
  if (std::string error = add_kernel(alone, kernel, requested, devices); !error.empty()) {
    resolved.device_missing |= alone.device_missing;
    return error;
  }
  bool any = false;
  for (Implementation& implementation : alone.implementations) {
    std::erase_if(implementation.plans, [](const Plan& plan) { return !has_batching_rule(plan); });
    if (implementation.plans.empty()) continue;
    any = true;
    implementation.name = std::string(kVmapPrefix) + implementation.name;
    implementation.illegal = IllegalCases::kNone;
    implementation.takes_tables = false;
    for (Plan& plan : implementation.plans) {
      plan.python = vmap_python(plan, plan.python);
      plan.cpp.clear();
      const c10::OperatorHandle called = *plan.handle;
      plan.handle =
          register_derived({kVmapSpace + derived_name(called.operator_name()), ""}, called.schema(),
                           [called](torch::jit::Stack& stack) { call_under_vmap(called, stack); });
    }
    resolved.implementations.push_back(std::move(implementation));
  }
  if (any) return {};
  return name + " cannot be tested: " + kernel +
         " registers no batching rule for a functional schema; register one for the "
         "FuncTorchBatched dispatch key, in Python by register_vmap";
}

std::vector<std::string> untested_batching_rules(std::span<const Implementation> implementations) {
  return untested(implementations, {.prefix = kVmapPrefix}, "the batching rule",
                  [](const Plan& plan) {
                    return plan.handle->hasKernelForDispatchKey(c10::DispatchKey::FuncTorchBatched);
                  });
}

}  // namespace indexfuzz
