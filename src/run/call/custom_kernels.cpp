#include "run/call/custom_kernels.h"

#include <ATen/core/function_schema.h>

#include <algorithm>
#include <optional>

#include "case/nearest.h"
#include "run/call/call_text.h"
#include "run/call/python_libraries.h"

namespace indexfuzz {
namespace {

using Operators = std::span<const OperatorInfo* const>;
using Handles = std::vector<c10::OperatorHandle>;

/// "mine::gather.out" in parts.
struct KernelName {
  std::string space;
  std::string name;      ///< empty: all of the namespace
  std::string overload;  ///< what stands behind the dot
  bool has_overload = false;
  bool on_self = false;  ///< kOutIsSelf stands behind that
};

/// Behind the name of a schema with `out` that is given self.
constexpr std::string_view kOutIsSelf = "=self";

KernelName parse_name(const std::string& text) {
  KernelName parsed;
  const std::size_t colons = text.find("::");
  parsed.space = text.substr(0, colons);
  if (colons == std::string::npos) return parsed;
  parsed.name = text.substr(colons + 2);
  const std::size_t dot = parsed.name.find('.');
  if (dot != std::string::npos) {
    parsed.overload = parsed.name.substr(dot + 1);
    parsed.on_self = parsed.overload.ends_with(kOutIsSelf);
    if (parsed.on_self) parsed.overload.resize(parsed.overload.size() - kOutIsSelf.size());
    if (parsed.overload == "default") parsed.overload.clear();
    parsed.name.resize(dot);
    parsed.has_overload = true;
  }
  return parsed;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

/// The first names of a long list.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 12;
  if (names.size() <= kShown) return join(names, ", ");
  return join({names.begin(), names.begin() + kShown}, ", ") + " and " +
         std::to_string(names.size() - kShown) + " more";
}

/// Every registered "NS::NAME", sorted, without repetition.
std::vector<std::string> registered_names(const std::string& space) {
  std::vector<std::string> names;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (space.empty() || name.name.starts_with(space + "::")) names.push_back(name.name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// Every namespace in which something is registered.
std::vector<std::string> spaces() {
  std::vector<std::string> found;
  for (const std::string& name : registered_names("")) {
    const std::string space = name.substr(0, name.find("::"));
    if (found.empty() || found.back() != space) found.push_back(space);
  }
  return found;
}

/// All overloads with a schema of "NS::NAME", in the order of their names.
Handles overloads_of(const std::string& full_name) {
  std::vector<std::string> overloads;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (name.name == full_name) overloads.push_back(name.overload_name);
  }
  std::sort(overloads.begin(), overloads.end());
  Handles handles;
  for (const std::string& overload : overloads) {
    if (auto handle = c10::Dispatcher::singleton().findSchema({full_name, overload})) {
      handles.push_back(*handle);
    }
  }
  return handles;
}

/// Whether a call with tensors of the CPU, or of a GPU, reaches a kernel.
bool serves(const c10::OperatorHandle& handle, bool gpu) {
  using c10::DispatchKey;
  for (const DispatchKey key :
       {gpu ? DispatchKey::CUDA : DispatchKey::CPU, DispatchKey::CompositeImplicitAutograd,
        DispatchKey::CompositeExplicitAutograd, DispatchKey::CompositeExplicitAutogradNonFunctional,
        gpu ? DispatchKey::AutogradCUDA : DispatchKey::AutogradCPU}) {
    if (handle.hasKernelForDispatchKey(key)) return true;
  }
  // One for any device's autograd, as Python's custom_op makes it, hands on to the device's own
  // where some device has one.
  return handle.hasKernelForDispatchKey(DispatchKey::Autograd) &&
         !handle.hasKernelForDispatchKey(gpu ? DispatchKey::CPU : DispatchKey::CUDA);
}

void add_plan(Implementation& implementation, Plan plan) {
  if (find_plan(implementation, *plan.op, plan.overload, plan.variant) != nullptr) return;
  plan.python = python_call(plan);
  plan.cpp = cpp_call(plan);
  implementation.plans.push_back(std::move(plan));
}

/// The in-place forms by those of the plans that have an `out`, which is given self: so PyTorch's
/// own in-place operators are made of those with `out`.
std::vector<Plan> in_place_by_out(const std::vector<Plan>& plans) {
  std::vector<Plan> by_out;
  for (const Plan& plan : plans) {
    const Overload& overload = plan.op->overloads[plan.overload];
    if (plan.variant != Variant::kOut || find_form(overload, Variant::kInPlace) == nullptr)
      continue;
    Plan& on_self = by_out.emplace_back(plan);
    on_self.variant = Variant::kInPlace;
    for (Argument& argument : on_self.arguments) {
      if (argument.source != Argument::Source::kOut) continue;
      argument.source = Argument::Source::kOperand;
      argument.slot = 0;
    }
  }
  return by_out;
}

enum class Fit : std::uint8_t { kNone, kLacking, kWhole };

/// Of the schema that fits best.
Fit fit_of(const Handles& handles, const OperatorInfo& op) {
  Fit best = Fit::kNone;
  for (const c10::OperatorHandle& handle : handles) {
    for (const Plan& plan : bind(handle, op))
      best = std::max(best, plan.lacking.empty() ? Fit::kWhole : Fit::kLacking);
  }
  return best;
}

/// The operators among `candidates` that some of the schemas fits; where some fit whole, those
/// only.
std::vector<const OperatorInfo*> fitting(const Handles& handles, Operators candidates) {
  std::vector<const OperatorInfo*> whole, lacking;
  for (const OperatorInfo* op : candidates) {
    switch (fit_of(handles, *op)) {
      case Fit::kNone: break;
      case Fit::kLacking: lacking.push_back(op); break;
      case Fit::kWhole: whole.push_back(op); break;
    }
  }
  return whole.empty() ? lacking : whole;
}

/// The operator that a kernel's name says: the name itself or the longest one that it begins with.
const OperatorInfo* named_operator(std::string_view kernel, Operators candidates, bool whole) {
  const OperatorInfo* best = nullptr;
  for (const OperatorInfo* op : candidates) {
    const bool says = kernel == op->name || kernel == std::string(op->name) + "_" ||
                      (!whole && kernel.starts_with(op->name));
    if (says && (best == nullptr || op->name.size() > best->name.size())) best = op;
  }
  return best;
}

std::string names_of(std::span<const OperatorInfo* const> list) {
  std::vector<std::string> names;
  for (const OperatorInfo* op : list) names.emplace_back(op->name);
  return join(names, ", ");
}

std::string does_not_fit(const std::string& name, const Handles& found, Operators expected) {
  std::vector<std::string> schemas;
  for (const c10::OperatorHandle& handle : found) schemas.push_back(schema_text(handle.schema()));
  std::string text = name + " is registered as " + join(schemas, " and ");
  const OperatorInfo* wanted =
      expected.size() == 1 ? expected[0] : named_operator(parse_name(name).name, expected, false);
  if (wanted == nullptr) {
    return text + ", which fits none of " + names_of(expected) +
           ": give it the arguments and the result of the ATen operator, or name the operator it "
           "computes";
  }
  std::optional<Variant> variant = declared_variant(found.front().schema());
  if (!variant) {
    return text + ", which writes more than its first argument or an `out`: expected " +
           expected_schemas(*wanted, std::nullopt) + "; annotate as (a!) only what " +
           std::string(wanted->name) + " writes";
  }
  std::string schemas_wanted = expected_schemas(*wanted, variant);
  if (schemas_wanted.empty()) schemas_wanted = expected_schemas(*wanted, std::nullopt);
  return text + ", which does not fit " + std::string(wanted->name) + ": expected " +
         schemas_wanted +
         "; it needs this result and these arguments, by name, or by position and type (those with "
         "a default may be left out, and any others it has need one)";
}

std::string has_no_kernel(const std::string& name, const KernelDevices& devices, bool on_gpus) {
  if (!devices.on_cpu)
    return name + " has no kernel for CUDA tensors: register one for the CUDA dispatch key";
  if (on_gpus && devices.gpu < 0)
    return name + " has a kernel for CUDA tensors only, and no GPU is in use here";
  return name + " has no kernel for CPU tensors: register one for the CPU dispatch key";
}

/// What tells the implementation on a GPU from the one on the CPU.
std::string gpu_suffix(int gpu) {
  return gpu > 0 ? "@cuda:" + std::to_string(gpu) : "@cuda";
}

std::string how_to_register() {
  return python_libraries().empty() ? "load the library that registers it with --load"
                                    : "register it with TORCH_LIBRARY, or in Python by a Library "
                                      "that is kept: what PYBIND11_MODULE defines is known to "
                                      "Python only";
}

std::string not_registered(const std::string& name, const KernelName& parsed) {
  std::vector<std::string> here = registered_names(parsed.space);
  const std::string full = parsed.space + "::" + parsed.name;
  std::string text = name + " is not registered";
  if (here.empty()) {
    // A kernel of a mistyped namespace; not any operator that has a similar name.
    const std::string near = nearest(parsed.space, spaces()) + "::" + parsed.name;
    if (near != full && !overloads_of(near).empty()) return text + "; did you mean " + near + "?";
    return text + ": nothing is, in the namespace " + parsed.space + "; " + how_to_register();
  }
  const std::string near = nearest(full, here);
  if (!near.empty()) return text + "; did you mean " + near + "?";
  return text + "; registered are " + some_of(here);
}

}  // namespace

std::string not_requested(const std::string& name, const std::string& what, Operators requested) {
  return name + " " + what + ", but only " + names_of(requested) +
         (requested.size() == 1 ? " is" : " are") +
         " tested here: leave it out, or test that operator as well";
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
  if (parsed.has_overload) {
    std::vector<std::string> overloads;
    for (const c10::OperatorHandle& handle : handles) {
      const std::string& overload = handle.schema().overload_name();
      overloads.push_back(full + "." + (overload.empty() ? "default" : overload));
    }
    std::erase_if(handles, [&](const c10::OperatorHandle& handle) {
      return handle.schema().overload_name() != parsed.overload;
    });
    if (handles.empty()) {
      const std::string near = nearest(full + "." + parsed.overload, overloads);
      return name + " is not registered, only " + join(overloads, ", ") +
             (near.empty() ? "" : "; did you mean " + near + "?");
    }
  }
  const auto on = [&](bool gpu) {
    Handles there = handles;
    std::erase_if(there, [&](const c10::OperatorHandle& h) { return !serves(h, gpu); });
    return there;
  };
  const Handles on_cpu = devices.on_cpu ? on(false) : Handles();
  const Handles on_gpu = devices.gpu >= 0 ? on(true) : Handles();
  if (on_cpu.empty() && on_gpu.empty()) {
    const bool on_gpus = !on(true).empty();
    resolved.device_missing |= on_gpus && devices.gpu < 0;
    return has_no_kernel(name, devices, on_gpus);
  }

  const OperatorInfo* op = named_operator(parsed.name, operators(), true);
  if (op != nullptr && std::find(requested.begin(), requested.end(), op) == requested.end()) {
    return not_requested(name, "is " + std::string(op->name) + " by its name", requested);
  }
  if (op != nullptr) {
    if (fitting(handles, std::span(&op, 1)).empty())
      return does_not_fit(name, handles, std::span(&op, 1));
  } else {
    const std::vector<const OperatorInfo*> fits = fitting(handles, requested);
    if (fits.empty()) return does_not_fit(name, handles, requested);
    op = fits.size() == 1 ? fits[0] : named_operator(parsed.name, fits, false);
    if (op == nullptr) {
      return name + " fits " + names_of(fits) + ": name the one operator that it computes";
    }
    // Hardly the one that was meant, where its name says another one that fits better.
    const OperatorInfo* const said = named_operator(parsed.name, operators(), false);
    if (said != nullptr && said != op && fit_of(handles, *op) < fit_of(handles, *said))
      return does_not_fit(name, handles, std::span(&op, 1));
  }

  const auto add = [&](const Handles& there, int device, const std::string& suffix) {
    Implementation implementation;
    implementation.name = name + suffix;
    implementation.custom = true;
    implementation.device = device;
    for (const c10::OperatorHandle& handle : there) {
      for (Plan& plan : bind(handle, *op)) add_plan(implementation, std::move(plan));
    }
    for (Plan& plan : in_place_by_out(implementation.plans)) {
      std::string by_out = full + "." + plan.handle->schema().overload_name();
      by_out += std::string(kOutIsSelf) + suffix;
      if (resolved.by_out.empty() || resolved.by_out.back().name != by_out) {
        // An `out` may grow where self of an in-place form may not.
        resolved.by_out.push_back({.name = std::move(by_out),
                                   .device = device,
                                   .custom = true,
                                   .comes_along = !parsed.on_self,
                                   .legal_only = true});
      }
      add_plan(resolved.by_out.back(), std::move(plan));
    }
    if (!implementation.plans.empty() && !parsed.on_self)
      resolved.implementations.push_back(std::move(implementation));
  };
  const std::size_t before = resolved.by_out.size();
  add(on_cpu, -1, "");
  add(on_gpu, devices.gpu, gpu_suffix(devices.gpu));
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

namespace {

/// A sentence for those of the registered names that no operator has; empty where there are none.
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

std::string add_namespace(Resolved& resolved, const std::string& space, Operators requested,
                          const KernelDevices& devices) {
  const std::vector<std::string> here = registered_names(space);
  if (here.empty()) {
    const std::string near = nearest(space, spaces());
    return "nothing is registered in the namespace " + space +
           (near.empty() ? "; " + how_to_register() : "; did you mean " + near + "?");
  }
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
  return "no operator in the namespace " + space + " has the name of " + names_of(requested) +
         "; registered are " + some_of(here) + ": name one of them in full";
}

}  // namespace indexfuzz
