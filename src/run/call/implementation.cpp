#include "run/call/implementation.h"

#include <ATen/core/function_schema.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "case/gpu_settings.h"
#include "judge/sharing.h"
#include "ops/contract/keeps.h"
#include "ops/definition/illegal_rule.h"
#include "ops/fills/table.h"
#include "run/call/custom_kernels.h"
#include "run/call/form_implementations.h"
#include "run/call/given_values.h"
#include "run/call/gradient_implementations.h"
#include "run/call/meta_implementations.h"
#include "run/call/named_implementation.h"
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
  aten.takes_tables = true;
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

/// The names that a mistyped one is compared with.
std::vector<std::string> built_in_names() {
  std::vector<std::string> names = form_names(operators());
  names.insert(names.end(), {"aten:cpu", "aten:cuda", std::string(kAtenMeta)});
  return names;
}

std::string add_aten_on_meta(Resolved& resolved) {
  std::string error = add_aten(resolved.implementations, std::string(kAtenMeta), -1);
  if (error.empty())
    resolved.implementations.back() = aten_on_meta(std::move(resolved.implementations.back()));
  return error;
}

/// Adds one implementation, or all that a name stands for. Returns one sentence if it cannot, else
/// nothing.
std::string add_named(Resolved& resolved, const NamedImplementation& named, Operators requested,
                      int gpus) {
  const KernelDevices devices = named.device ? KernelDevices{*named.device < 0, *named.device}
                                             : KernelDevices{true, gpus > 0 ? 0 : -1};
  using What = NamedImplementation::What;
  const bool changes_arguments = named.what == What::kGradient || named.what == What::kBatchingRule;
  if (changes_arguments && resolved.contract != nullptr)
    return "a contract speaks of a kernel's own arguments: test " + named.name +
           " without gradient: and vmap:, or without the contract";
  switch (named.what) {
    case What::kAten: return add_aten(resolved.implementations, named.name, devices.gpu);
    case What::kAtenOnMeta: return add_aten_on_meta(resolved);
    case What::kForm: return add_form(resolved.implementations, named.name, requested);
    case What::kNamespace: return add_namespace(resolved, named.name, requested, devices);
    case What::kKernel: return add_kernel(resolved, named.name, requested, devices);
    case What::kMetaFunction: return add_on_meta(resolved, named.name, requested);
    case What::kGradient: return add_gradient(resolved, named.name, requested, devices);
    case What::kBatchingRule: return add_under_vmap(resolved, named.name, requested, devices);
  }
  return {};
}

/// Sets `resolved.error` if what the name stands for cannot be added.
void add(Resolved& resolved, const std::string& name, Operators requested, int gpus) {
  const auto [named, error] = parse_implementation(name, built_in_names());
  resolved.error = error;
  if (!error.empty()) return;
  if (!named.device || *named.device < gpus) {
    resolved.error = add_named(resolved, named, requested, gpus);
    return;
  }
  // A name that is wrong is wrong on every machine.
  Resolved elsewhere{.contract = resolved.contract};
  if (named.what != NamedImplementation::What::kAten)
    resolved.error = add_named(elsewhere, named, requested, *named.device + 1);
  if (!resolved.error.empty()) return;
  resolved.device_missing = true;
  resolved.error = name + ": there is no such GPU here" +
                   (gpus == 0 ? "" : ", only " + std::to_string(gpus) + " of them");
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
  return kernel.contract->must_refuse && kernel.illegal == IllegalCases::kAll && c.breaks == 0 &&
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

Implementation aten_beside(const Implementation& other) {
  std::vector<Implementation> aten;
  const bool on_host = !other.on_gpu();
  // An error of add_aten() is reported when a process is set up.
  add_aten(aten, on_host ? "aten:cpu" : "aten:cuda:" + std::to_string(other.device), other.device);
  return aten.empty() ? Implementation{} : std::move(aten.front());
}

bool is_asked(const Implementation& implementation, const Case& c) {
  // This also concerns an illegal case's legal base, with which a custom kernel is called first.
  const auto aten_only = operator_of(c).aten_only;
  if (implementation.custom && aten_only != nullptr && aten_only(c)) return false;
  if (implementation.contract != nullptr && !is_spoken_of(implementation, c)) return false;
  if (!implementation.takes_tables && has_table(c)) return false;
  if (c.breaks == 0) return true;
  switch (implementation.illegal) {
    case IllegalCases::kAll: break;
    case IllegalCases::kNotInPlace:
      if (c.variant == Variant::kInPlace) return false;
      break;
    case IllegalCases::kNone: return false;
  }
  const bool on_gpu = implementation.on_gpu();
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
