#include "run/call/given_values.h"

#include <ATen/core/function_schema.h>

#include <algorithm>

#include "case/strings/nearest_name.h"
#include "ops/contract/values.h"

namespace indexfuzz {
namespace {

bool has_formal(const c10::FunctionSchema& schema, const std::string& name) {
  return schema.argumentIndexWithName(name).has_value();
}

bool is_of_aten(const OperatorInfo& op, std::string_view argument) {
  return std::ranges::any_of(
      op.overloads, [&](const Overload& overload) { return has_argument(overload, argument); });
}

/// All names of arguments that a contract may give a value.
std::vector<std::string> nameable(std::span<const Implementation> implementations,
                                  std::span<const OperatorInfo* const> requested) {
  std::vector<std::string> names;
  for (const OperatorInfo* op : requested) {
    for (const Overload& overload : op->overloads) {
      for (const AttributeSpec& spec : overload.attributes) names.emplace_back(spec.name);
      for (const Parameter& parameter : overload.parameters) {
        if (parameter.kind == Parameter::Kind::kAttributeList) names.emplace_back(parameter.name);
      }
      for (const OperandSpec& spec : overload.operands) {
        if (spec.role == Role::kScalar) names.emplace_back(spec.name);
      }
    }
  }
  for (const Implementation& implementation : implementations) {
    if (!implementation.custom) continue;
    for (const Plan& plan : implementation.plans) {
      for (const c10::Argument& formal : plan.handle->schema().arguments())
        names.push_back(formal.name());
    }
  }
  return names;
}

}  // namespace

std::vector<GivenValues> given_values(const Contract* contract,
                                      std::span<const c10::OperatorHandle> schemas,
                                      const OperatorInfo& op) {
  std::vector<GivenValues> all(1);
  if (contract == nullptr) return all;
  for (const ValueTerms& terms : contract->values) {
    const bool is_added = !is_of_aten(op, terms.argument) &&
                          std::ranges::any_of(schemas, [&](const c10::OperatorHandle& handle) {
                            return has_formal(handle.schema(), terms.argument);
                          });
    std::vector<GivenValues> longer;
    for (const GivenValues& given : all) {
      if (!is_added) {
        longer.push_back(given);
        longer.back().values.push_back(terms);
        continue;
      }
      for (const ArgumentValue& value : terms.values) {
        longer.push_back(given);
        longer.back().values.push_back({terms.argument, {value}});
        if (terms.values.size() > 1)
          longer.back().suffix += "[" + terms.argument + "=" + python_text(value) + "]";
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::string what_contract_misses(const Contract& contract,
                                 std::span<const Implementation> implementations,
                                 std::span<const OperatorInfo* const> requested) {
  if (std::ranges::none_of(implementations, &Implementation::custom))
    return "a contract is what a custom kernel promises, and none is under test: name one with "
           "--impl NAMESPACE::NAME";
  const std::vector<std::string> names = nameable(implementations, requested);
  for (const ValueTerms& terms : contract.values) {
    if (std::ranges::find(names, terms.argument) != names.end()) continue;
    return "the contract gives `" + terms.argument +
           "` a value, but neither the operators under test nor the kernels have such an "
           "argument" +
           did_you_mean(terms.argument, names);
  }
  return {};
}

}  // namespace indexfuzz
