#include "run/call/custom_kernels.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "case/strings/nearest_name.h"
#include "run/call/call_text.h"
#include "run/call/computed_operator.h"
#include "run/call/given_values.h"
#include "run/call/registered.h"

namespace indexfuzz {
namespace {

using Operators = std::span<const OperatorInfo* const>;
using Handles = std::vector<c10::OperatorHandle>;

void add_plan(Implementation& implementation, Plan plan) {
  if (find_plan(implementation, *plan.op, plan.overload, plan.variant) != nullptr) return;
  plan.python = python_call(plan);
  plan.cpp = cpp_call(plan);
  implementation.plans.push_back(std::move(plan));
}

/// The in-place forms that the plans with an `out` give if `out` is self: PyTorch makes its own
/// in-place operators in this way.
std::vector<Plan> in_place_by_out(const std::vector<Plan>& plans,
                                  std::span<const ValueTerms> given) {
  std::vector<Plan> by_out;
  for (const Plan& plan : plans) {
    if (plan.variant != Variant::kOut) continue;
    for (std::size_t o = 0; o < plan.op->overloads.size(); ++o) {
      const Form* const form = find_form(plan.op->overloads[o], Variant::kInPlace);
      if (form == nullptr || (o != plan.overload && !passes_self_as_out(*form))) continue;
      if (auto on_self = bind_out_to_self(*plan.handle, *plan.op, static_cast<int>(o), given))
        by_out.push_back(std::move(*on_self));
    }
  }
  return by_out;
}

/// Why a kernel of a fitting schema is not called.
std::string has_no_kernel(const std::string& name, const OperatorInfo& op,
                          const KernelDevices& devices, bool on_gpus) {
  if (devices.meta)
    return name +
           " registers no meta function: register one for the Meta dispatch key, in Python by "
           "register_fake";
  if (!devices.on_cpu)
    return name + " has no kernel for CUDA tensors: register one for the CUDA dispatch key";
  if (on_gpus && devices.gpu < 0)
    return name + " fits " + std::string(op.name) +
           ", but has a kernel for CUDA tensors only, and no GPU is in use here";
  return name + " has no kernel for CPU tensors: register one for the CPU dispatch key";
}

/// Adds the implementation on one device (-1: the CPU), and the in-place forms that its schemas
/// with an `out` give.
void add_implementation(Resolved& resolved, const std::string& name, const KernelName& parsed,
                        const OperatorInfo& op, const Handles& handles, int device,
                        const GivenValues& given) {
  const std::string suffix = given.suffix + (device < 0 ? "" : gpu_suffix(device));
  Implementation implementation;
  implementation.name = name + suffix;
  implementation.custom = true;
  implementation.takes_tables = true;
  implementation.device = device;
  for (const c10::OperatorHandle& handle : handles) {
    for (Plan& plan : bind(handle, op, std::span<const ValueTerms>(given.values)))
      add_plan(implementation, std::move(plan));
  }
  const std::span<const ValueTerms> values(given.values);
  for (Plan& plan : in_place_by_out(implementation.plans, values)) {
    std::string by_out = parsed.space + "::" + parsed.name + "." +
                         plan.handle->schema().overload_name() + std::string(kOutIsSelf) + suffix;
    if (resolved.by_out.empty() || resolved.by_out.back().name != by_out) {
      // An `out` may grow, but self of an in-place form may not.
      resolved.by_out.push_back({.name = std::move(by_out),
                                 .device = device,
                                 .custom = true,
                                 .comes_along = !parsed.on_self,
                                 .illegal = IllegalCases::kNone,
                                 .takes_tables = true});
    }
    add_plan(resolved.by_out.back(), std::move(plan));
  }
  if (!implementation.plans.empty() && !parsed.on_self)
    resolved.implementations.push_back(std::move(implementation));
}

/// A sentence about the registered names that no operator has; empty if there are none.
std::string without_operator(const std::vector<std::string>& registered) {
  std::vector<std::string> names;
  for (const std::string& full : registered) {
    std::string name = full.substr(full.find("::") + 2);
    if (name.ends_with('_')) name.pop_back();
    if (find_operator(name) == nullptr) names.push_back(full);
  }
  if (names.empty()) return "";
  return some_of(names) +
         (names.size() == 1 ? " has the name of no operator" : " have the names of no operator") +
         "; to test it, name it in full: --impl " + names.front();
}

}  // namespace

std::string gpu_suffix(int gpu) {
  return gpu > 0 ? "@cuda:" + std::to_string(gpu) : "@cuda";
}

std::string add_kernel(Resolved& resolved, const std::string& name, Operators requested,
                       const KernelDevices& devices) {
  const KernelName parsed = parse_name(name);
  const std::string full = parsed.space + "::" + parsed.name;
  Handles handles = overloads_of(full);
  if (!parsed.has_overload && !parsed.name.ends_with('_')) {
    for (const c10::OperatorHandle& handle : overloads_of(full + "_")) handles.push_back(handle);
  }
  if (handles.empty()) return not_registered(name, parsed);
  if (std::string error = keep_overload(name, parsed, handles); !error.empty()) return error;
  const OperatorInfo* op = nullptr;
  const auto given = resolved.contract == nullptr ? std::span<const ValueTerms>()
                                                  : std::span(resolved.contract->values);
  if (std::string error = find_computed(name, parsed, handles, requested, op, given);
      !error.empty())
    return error;

  const auto those = [&](auto fits) {
    Handles there;
    std::ranges::copy_if(handles, std::back_inserter(there), fits);
    return there;
  };
  const auto on = [&](bool gpu) {
    return those([&](const c10::OperatorHandle& h) { return serves(h, gpu); });
  };
  const Handles on_cpu = devices.meta     ? those(has_meta_function)
                         : devices.on_cpu ? on(false)
                                          : Handles();
  const Handles on_gpu = devices.gpu >= 0 ? on(true) : Handles();
  if (on_cpu.empty() && on_gpu.empty()) {
    const bool on_gpus = !on(true).empty();
    resolved.device_missing |= on_gpus && devices.gpu < 0;
    return has_no_kernel(name, *op, devices, on_gpus);
  }

  const std::size_t before = resolved.by_out.size();
  for (const GivenValues& values : given_values(resolved.contract, handles, *op)) {
    add_implementation(resolved, name, parsed, *op, on_cpu, -1, values);
    add_implementation(resolved, name, parsed, *op, on_gpu, devices.gpu, values);
  }
  if (parsed.on_self && resolved.by_out.size() == before)
    return name + " cannot be called: it takes an `out`, and " + std::string(op->name) +
           " an in-place form, for self to be that";
  return {};
}

bool has_kernels(std::string_view space, Operators requested) {
  const std::vector<std::string> here = registered_names(std::string(space));
  return std::ranges::any_of(requested, [&](const OperatorInfo* op) {
    return std::ranges::binary_search(here, std::string(space) + "::" + std::string(op->name));
  });
}

std::string add_namespace(Resolved& resolved, const std::string& space, Operators requested,
                          const KernelDevices& devices) {
  const std::vector<std::string> here = registered_names(space);
  if (here.empty()) return nothing_registered(space);
  const std::size_t before = resolved.implementations.size();
  std::vector<std::string> errors;
  for (const OperatorInfo* op : requested) {
    const std::string full = space + "::" + std::string(op->name);
    const std::string in_place = full + "_";
    const bool plain = std::binary_search(here.begin(), here.end(), full);
    if (!plain && !std::binary_search(here.begin(), here.end(), in_place)) continue;
    const std::string name = plain ? full : in_place;
    std::string error = add_kernel(resolved, name, requested, devices);
    if (!error.empty()) errors.push_back(std::move(error));
  }
  if (resolved.implementations.size() != before) {
    resolved.left_out.insert(resolved.left_out.end(), errors.begin(), errors.end());
    if (std::string others = without_operator(here); !others.empty())
      resolved.left_out.push_back(std::move(others));
    resolved.device_missing = false;
    return {};
  }
  if (!errors.empty()) return errors.front();
  const bool is_any = requested.size() == operators().size();
  return "nothing in the namespace " + space + " has the name of " +
         (is_any ? "an operator" : names_of(requested)) + "; registered are " + some_of(here) +
         ": name one of them in full, as --impl " + here.front() +
         ", and the operator that it computes";
}

}  // namespace indexfuzz
