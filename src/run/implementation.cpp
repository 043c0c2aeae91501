#include "run/implementation.h"

#include <ATen/core/function_schema.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "case/nearest.h"
#include "run/custom_kernels.h"
#include "run/form_implementations.h"

namespace indexfuzz {
namespace {

using Operators = std::span<const OperatorInfo* const>;

constexpr std::uint32_t kFormShare = 32;
constexpr std::uint32_t kOwnShare = 8;
constexpr std::string_view kOwnSpace = "indexfuzz";

std::string text_of(const c10::FunctionSchema& schema) {
  std::ostringstream text;
  text << schema;
  return text.str();
}

std::string add_aten(std::vector<Implementation>& implementations) {
  Implementation aten;
  aten.name = "aten:cpu";
  for (const OperatorInfo* op : operators()) {
    for (std::size_t overload = 0; overload < op->overloads.size(); ++overload) {
      for (const Form& form : op->overloads[overload].forms) {
        const std::string name = "aten::" + std::string(form.aten_name);
        const auto handle =
            c10::Dispatcher::singleton().findSchema({name, std::string(form.aten_overload)});
        if (!handle) continue;  // an older LibTorch lacks it
        std::optional<Plan> plan = bind(*handle, *op, static_cast<int>(overload));
        if (!plan || plan->variant != form.variant) {
          return "this LibTorch registers " + text_of(handle->schema()) + ", which is not what " +
                 std::string(op->name) +
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

/// Removes "@cpu"; the error for another device.
std::string take_device(std::string& name) {
  const std::size_t at = name.find('@');
  if (at == std::string::npos) return {};
  const std::string device = name.substr(at + 1);
  if (device != "cpu") {
    return name + ": this build tests the CPU only; write @cpu or nothing instead of @" + device;
  }
  name.resize(at);
  return {};
}

std::string add(std::vector<Implementation>& implementations, std::string name,
                Operators requested) {
  if (std::string error = take_device(name); !error.empty()) return error;
  if (name == "aten") name = "aten:cpu";
  for (const Implementation& known : implementations) {
    if (known.name == name) return {};
  }
  if (name == "aten:cpu") return add_aten(implementations);
  if (name.starts_with(kFormPrefix)) return add_form(implementations, name, requested);
  if (name == "aten:cuda" || name.starts_with("aten:cuda:")) {
    return name + ": this build of indexfuzz has no CUDA support; use aten:cpu";
  }
  const std::size_t colons = name.find("::");
  const bool is_kernel = colons != std::string::npos;
  const std::string usage = "use aten:cpu, form:NAME, NAMESPACE::NAME or NAMESPACE";
  if (!is_kernel && name.find(':') != std::string::npos) {
    std::vector<std::string> built_in = form_names(operators());
    built_in.emplace_back("aten:cpu");
    const std::string near = nearest(name, built_in);
    return name + " is no implementation" +
           (near.empty() ? ": " + usage : "; did you mean " + near + "?");
  }
  if (colons == 0 || name.empty() || (is_kernel && colons + 2 == name.size()))
    return "'" + name + "' is no implementation: " + usage;
  return is_kernel ? add_kernel(implementations, name, requested)
                   : add_namespace(implementations, name, requested);
}

}  // namespace

const Plan* find_plan(const Implementation& implementation, const Case& c) {
  for (const Plan& plan : implementation.plans) {
    if (plan.op->number == c.op && plan.overload == c.overload && plan.variant == c.variant)
      return &plan;
  }
  return nullptr;
}

Resolved resolve(std::span<const std::string> names, Operators requested) {
  Resolved resolved;
  std::vector<std::string> all{"aten:cpu"};
  const bool by_default = names.empty();
  if (by_default) {
    for (std::string& form : form_names(requested)) all.push_back(std::move(form));
    if (has_kernels(kOwnSpace, requested)) all.emplace_back(kOwnSpace);
    names = all;
  }
  for (const std::string& name : names) {
    const std::size_t before = resolved.implementations.size();
    resolved.error = add(resolved.implementations, name, requested);
    if (!resolved.error.empty()) return resolved;
    // Forms make many calls where the operator is one, and indexfuzz's own kernels are seldom what
    // is looked for: unasked, they take a small share.
    for (std::size_t i = before; i < resolved.implementations.size() && by_default; ++i) {
      Implementation& added = resolved.implementations[i];
      if (added.legal_only || added.custom) added.one_in = added.custom ? kOwnShare : kFormShare;
    }
  }
  return resolved;
}

}  // namespace indexfuzz
