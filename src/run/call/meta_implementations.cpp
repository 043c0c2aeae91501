#include "run/call/meta_implementations.h"

#include <ATen/core/function_schema.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "run/call/custom_kernels.h"
#include "run/call/derived.h"
#include "run/call/meta.h"
#include "run/call/named_implementation.h"
#include "run/call/registered.h"

namespace indexfuzz {
namespace {

const std::string kMetaSpace = "indexfuzz_meta_of::";

/// PyTorch cannot tell the shape of the result, and says so.
bool has_shape_by_data(const Plan& plan) {
  return plan.op->shape_by_values;
}

/// The implementation's plans, made on "meta". It is given legal calls alone: nobody promises that
/// what has no data is checked, and of PyTorch's own operators many check little.
void put_on_meta(Implementation& implementation) {
  implementation.illegal = IllegalCases::kNone;
  implementation.is_meta = true;
  implementation.takes_tables = false;
  for (Plan& plan : implementation.plans) {
    plan.python = meta_python(plan, plan.python);
    plan.cpp.clear();
    plan.below_autograd = false;
    const c10::OperatorHandle called = *plan.handle;
    plan.handle =
        register_derived({kMetaSpace + derived_name(called.operator_name()), ""}, called.schema(),
                         [called](torch::jit::Stack& stack) { call_on_meta(called, stack); });
  }
}

}  // namespace

bool names_meta(std::span<const std::string> names) {
  return std::ranges::any_of(names, [](const std::string& name) {
    return name == kAtenMeta || name.ends_with(kMetaSuffix);
  });
}

Implementation aten_on_meta(Implementation aten) {
  aten.name = kAtenMeta;
  std::erase_if(aten.plans, has_shape_by_data);
  put_on_meta(aten);
  return aten;
}

std::string add_on_meta(Resolved& resolved, const std::string& kernel,
                        std::span<const OperatorInfo* const> requested) {
  Resolved alone{.contract = resolved.contract};
  if (std::string error = add_kernel(alone, kernel, requested, {.meta = true}); !error.empty())
    return error;
  for (Implementation& implementation : alone.implementations) {
    implementation.name += kMetaSuffix;
    put_on_meta(implementation);
    resolved.implementations.push_back(std::move(implementation));
  }
  return {};
}

std::vector<std::string> untested_meta_functions(std::span<const Implementation> implementations) {
  return untested(implementations, {.suffix = kMetaSuffix}, "the meta function",
                  [](const Plan& plan) { return has_meta_function(*plan.handle); });
}

}  // namespace indexfuzz
