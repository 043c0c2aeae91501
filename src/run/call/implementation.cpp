#include "run/call/implementation.h"

#include <ATen/core/function_schema.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>

#include "case/gpu_settings.h"
#include "case/text/nearest_name.h"
#include "judge/sharing.h"
#include "ops/contract/keeps.h"
#include "run/call/custom_kernels.h"
#include "run/call/form_implementations.h"
#include "run/call/given_values.h"
#include "run/call/gradient_implementations.h"
#include "run/call/meta_implementations.h"
#include "run/call/vmap_implementations.h"
#include "run/shared/job.h"

namespace indexfuzz {
namespace {

using Operators = std::span<const OperatorInfo* const>;

constexpr std::uint32_t kFormShare = 32;
constexpr std::uint32_t kOwnShare = 8;
constexpr std::string_view kOwnSpace = "indexfuzz";

std::string add_aten(std::vector<Implementation>& implementations, const std::string& name,
                     int device) {
  Implementation aten;
  aten.name = name;
  aten.device = device;
  for (const OperatorInfo* op : operators()) {
    for (std::size_t overload = 0; overload < op->overloads.size(); ++overload) {
      for (const Form& form : op->overloads[overload].forms) {
        const auto handle = aten_handle(form);
        if (!handle) continue;  // an older LibTorch lacks it
        const auto o = static_cast<int>(overload);
        std::optional<Plan> plan =
            passes_self_as_out(form) ? bind_out_to_self(*handle, *op, o) : bind(*handle, *op, o);
        if (!plan || plan->variant != form.variant) {
          return "this LibTorch registers " + schema_text(handle->schema()) +
                 ", which is not what " + std::string(op->name) +
                 " expects of it: use the LibTorch that indexfuzz was built with";
        }
        plan->below_autograd = true;
        plan->python = form.python;
        plan->cpp = form.cpp;
        aten.plans.push_back(std::move(*plan));
      }
    }
  }
  implementations.push_back(std::move(aten));
  return {};
}

/// "cpu", "cuda" or "cuda:1" as a number: -1 for the CPU; none for anything else.
std::optional<int> device_number(std::string_view text) {
  if (text == "cpu") return -1;
  if (text == "cuda") return 0;
  constexpr std::string_view kPrefix = "cuda:";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 ||
      number >= kMaxDevices)
    return std::nullopt;
  return number;
}

/// Adds one implementation, or all that a name stands for.
void add(Resolved& resolved, std::string name, Operators requested, int gpus) {
  auto& implementations = resolved.implementations;
  std::string& error = resolved.error;
  const auto needs = [&](int device) {
    if (device < gpus) return true;
    resolved.device_missing = true;
    error = name + ": there is no such GPU here" +
            (gpus == 0 ? "" : ", only " + std::to_string(gpus) + " of them");
    return false;
  };
  if (name == "aten") name = "aten:cpu";
  constexpr std::string_view kAten = "aten:";
  if (name.starts_with(kAten) && !name.starts_with("aten::")) {
    const auto device = device_number(std::string_view(name).substr(kAten.size()));
    if (device && !needs(*device)) return;
    if (device) {
      error = add_aten(implementations, name, *device);
      return;
    }
  }
  if (name == kAtenMeta) {
    error = add_aten(implementations, name, -1);
    if (error.empty()) implementations.back() = aten_on_meta(std::move(implementations.back()));
    return;
  }
  if (name.starts_with(kFormPrefix)) {
    error = add_form(implementations, name, requested);
    return;
  }
  if (name.ends_with(kMetaSuffix)) {
    name.resize(name.size() - kMetaSuffix.size());
    error = name.find("::") != std::string::npos
                ? add_on_meta(resolved, name, requested)
                : "a meta function is that of one kernel: write " + name + "::NAME@meta";
    return;
  }
  KernelDevices devices{true, gpus > 0 ? 0 : -1};
  if (const std::size_t at = name.find('@'); at != std::string::npos) {
    const auto device = device_number(std::string_view(name).substr(at + 1));
    if (!device) {
      error = name + ": " + name.substr(at + 1) +
              " is not a device; write @cpu, @cuda, @cuda:1 or @meta";
      return;
    }
    if (!needs(*device)) {
      // A name that is wrong is wrong on every machine.
      Resolved elsewhere{.contract = resolved.contract};
      add(elsewhere, name, requested, *device + 1);
      if (elsewhere.error.empty()) return;
      error = elsewhere.error;
      resolved.device_missing = false;
      return;
    }
    devices = {*device < 0, *device};
    name.resize(at);
  }
  const auto take_prefix = [&](std::string_view prefix) {
    const bool has_it = name.starts_with(prefix);
    if (has_it) name.erase(0, prefix.size());
    return has_it;
  };
  const bool is_gradient = take_prefix(kGradientPrefix), is_under_vmap = take_prefix(kVmapPrefix);
  const std::size_t colons = name.find("::");
  const bool is_kernel = colons != std::string::npos && name.find(':') == colons;
  const std::string usage =
      "use aten:cpu, aten:cuda, aten:meta, form:NAME, NAMESPACE::NAME, NAMESPACE, "
      "gradient:NAMESPACE::NAME or "
      "vmap:NAMESPACE::NAME";
  if (!is_kernel && name.find(':') != std::string::npos) {
    std::vector<std::string> built_in = form_names(operators());
    built_in.emplace_back("aten:cpu");
    built_in.emplace_back("aten:cuda");
    built_in.emplace_back(kAtenMeta);
    error = name + " is not an implementation" + did_you_mean(name, built_in, ": " + usage);
  } else if (colons == 0 || name.empty() || (is_kernel && colons + 2 == name.size())) {
    error = "'" + name + "' is not an implementation: " + usage;
  } else if ((is_gradient || is_under_vmap) && resolved.contract != nullptr) {
    error = "a contract speaks of a kernel's own arguments: test " + name +
            " without gradient: and vmap:, or without the contract";
  } else if (is_gradient) {
    error = is_kernel ? add_gradient(resolved, name, requested, devices)
                      : "a gradient is that of one kernel: write gradient:" + name + "::NAME";
  } else if (is_under_vmap) {
    error = is_kernel ? add_under_vmap(resolved, name, requested, devices)
                      : "a batching rule is that of one kernel: write vmap:" + name + "::NAME";
  } else {
    error = is_kernel ? add_kernel(resolved, name, requested, devices)
                      : add_namespace(resolved, name, requested, devices);
  }
}

/// Whether an index out of range is in range by its lower 32 bits: some of ATen's kernels for CUDA
/// look at no more, and so does a kernel that calls them.
bool is_in_range_in_32_bits(const Case& applied) {
  for (std::size_t k = 0; k < applied.operands.size(); ++k) {
    const Operand& index = applied.operands[k];
    if (!index.poked || family(index.fill.kind) != FillFamily::kIndex) continue;
    const std::int64_t bound = operator_of(applied).index_bound(applied, static_cast<int>(k));
    const std::int64_t low = static_cast<std::int32_t>(index.poke_value);
    return low != index.poke_value && -bound <= low && low < bound;
  }
  return false;
}

/// Whether the kernel's contract says what a call must do: compute the case, or refuse it.
bool is_spoken_of(const Implementation& kernel, const Case& c) {
  if (keeps_when_applied(*kernel.contract, c)) return true;
  return kernel.contract->must_refuse && !kernel.legal_only && c.breaks == 0 &&
         sure_breach(*kernel.contract, c);
}

bool has_empty_index(const Case& c) {
  return std::ranges::any_of(c.operands, [](const Operand& o) {
    return o.present && family(o.fill.kind) == FillFamily::kIndex && numel(o.shape) == 0;
  });
}

/// Removes those added from `first` on that were there already: two names may stand for one.
void drop_repeated(std::vector<Implementation>& implementations, std::size_t first) {
  const auto added = implementations.begin() + static_cast<std::ptrdiff_t>(first);
  std::set<std::string> seen;
  for (auto i = implementations.begin(); i != added; ++i) seen.insert(i->name);
  const auto is_repeated = [&](const Implementation& i) { return !seen.insert(i.name).second; };
  implementations.erase(std::remove_if(added, implementations.end(), is_repeated),
                        implementations.end());
}

}  // namespace

Implementation native_beside(const Implementation& other) {
  std::vector<Implementation> native;
  const bool on_host = other.device < 0;
  // An error of add_aten() is reported when a process is set up.
  add_aten(native, on_host ? "aten:cpu" : "aten:cuda:" + std::to_string(other.device),
           other.device);
  return native.empty() ? Implementation{} : std::move(native.front());
}

bool is_asked(const Implementation& implementation, const Case& c) {
  // This also concerns an illegal case's legal base, with which a custom kernel is called first.
  const auto aten_only = operator_of(c).aten_only;
  if (implementation.custom && aten_only != nullptr && aten_only(c)) return false;
  if (implementation.contract != nullptr && !is_spoken_of(implementation, c)) return false;
  if (c.breaks == 0) return true;
  if (implementation.legal_only ||
      (implementation.legal_only_in_place && c.variant == Variant::kInPlace))
    return false;
  const bool on_gpu = implementation.device >= 0;
  if (!implementation.custom && !on_gpu) return true;
  // If there is nothing to do, a kernel may return before it checks the rest.
  if (implementation.custom && (rule_of(c)->has(kATenOnly) || has_empty_index(c))) return false;
  // ATen's own kernels for GPUs do check these rules.
  if (implementation.custom && on_gpu && rule_of(c)->has(kMayReturnAnything)) return false;
  Case applied = c;
  if (!apply_rule(applied)) return true;
  // ATen's overlap check lets these pass on every device.
  if (shares_with_gaps(applied)) return false;
  // A kernel that has PyTorch resize `out` inherits that.
  if (implementation.custom && grows_into_host(applied)) return false;
  // Positions that are overwritten while a kernel reads them may end the process's context.
  if (on_gpu && (implementation.custom || grows_into_host(applied)) &&
      overwrites_positions(applied))
    return false;
  return !(implementation.custom && on_gpu && is_in_range_in_32_bits(applied));
}

const Plan* find_plan(const Implementation& implementation, const OperatorInfo& op, int overload,
                      Variant variant) {
  for (const Plan& plan : implementation.plans) {
    if (plan.op == &op && plan.overload == overload && plan.variant == variant) return &plan;
  }
  return nullptr;
}

Resolved resolve(std::span<const std::string> names, Operators requested, int gpus,
                 const Contract* contract) {
  Resolved resolved{.contract = contract};
  std::vector<std::string> all{"aten:cpu"};
  const bool by_default = names.empty();
  if (by_default) {
    if (gpus > 0) all.emplace_back("aten:cuda");
    for (std::string& form : form_names(requested)) all.push_back(std::move(form));
    for (const std::string& gradient : gradient_names(requested)) all.push_back(gradient + "@cpu");
    if (has_kernels(kOwnSpace, requested)) all.emplace_back(kOwnSpace);
    names = all;
  }
  for (const std::string& name : names) {
    const std::size_t before = resolved.implementations.size();
    add(resolved, name, requested, gpus);
    if (!resolved.error.empty()) return resolved;
    drop_repeated(resolved.implementations, before);
    // Forms make many calls for one of the operator, and indexfuzz's own kernels are seldom what is
    // looked for: unless named, they take a small share.
    for (std::size_t i = before; i < resolved.implementations.size() && by_default; ++i) {
      Implementation& added = resolved.implementations[i];
      const bool is_form = added.name.starts_with(kFormPrefix) || added.is_gradient;
      if (is_form || added.custom) added.one_in = is_form ? kFormShare * added.cost : kOwnShare;
    }
  }
  if (contract != nullptr) {
    resolved.error = what_contract_misses(*contract, resolved.implementations, requested);
    if (!resolved.error.empty()) return resolved;
  }
  for (const auto untested_parts :
       {untested_gradients, untested_batching_rules, untested_meta_functions}) {
    for (std::string& part : untested_parts(resolved.implementations))
      resolved.left_out.push_back(std::move(part));
  }
  for (Implementation& by_out : resolved.by_out) {
    if (resolved.implementations.size() == kMaxImplementations) break;
    if (by_default) by_out.one_in = kOwnShare;
    resolved.implementations.push_back(std::move(by_out));
    drop_repeated(resolved.implementations, resolved.implementations.size() - 1);
  }
  for (Implementation& implementation : resolved.implementations) {
    if (implementation.custom) implementation.contract = contract;
  }
  return resolved;
}

bool may_need_gpu(std::span<const std::string> names) {
  return names.empty() || std::any_of(names.begin(), names.end(), [](const std::string& name) {
           return name != "aten" && name != "aten:cpu" && name != kAtenMeta &&
                  !name.starts_with(kFormPrefix) && !name.ends_with("@cpu") &&
                  !name.ends_with(kMetaSuffix);
         });
}

}  // namespace indexfuzz
