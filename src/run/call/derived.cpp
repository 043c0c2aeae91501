#include "run/call/derived.h"

#include <ATen/core/function_schema.h>
#include <torch/library.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace indexfuzz {
namespace {

class DerivedKernel final : public c10::OperatorKernel {
 public:
  explicit DerivedKernel(std::function<void(torch::jit::Stack&)> call) : call_(std::move(call)) {}

  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack) {
    call_(*stack);
  }

 private:
  std::function<void(torch::jit::Stack&)> call_;
};

}  // namespace

c10::OperatorHandle register_derived(const c10::OperatorName& name,
                                     const c10::FunctionSchema& schema,
                                     std::function<void(torch::jit::Stack&)> call) {
  auto& dispatcher = c10::Dispatcher::singleton();
  if (const auto done = dispatcher.findSchema(name)) return *done;
  // A library takes back what it registered when it ends.
  static std::map<std::string, torch::Library> libraries;
  const std::string space = name.name.substr(0, name.name.find("::"));
  const auto [place, is_new] =
      libraries.try_emplace(space, torch::Library::FRAGMENT, space, std::nullopt, __FILE__,
                            static_cast<std::uint32_t>(__LINE__));
  torch::Library& library = place->second;
  library.def(schema.cloneWithName(name.name, name.overload_name));
  const std::string full = name.name + (name.overload_name.empty() ? "" : ".") + name.overload_name;
  for (const c10::DispatchKey key : {c10::DispatchKey::CPU, c10::DispatchKey::CUDA}) {
    library.impl(full.c_str(), torch::dispatch(key, torch::CppFunction::makeFromBoxedFunctor(
                                                        std::make_unique<DerivedKernel>(call))));
  }
  return dispatcher.findSchemaOrThrow(name.name.c_str(), name.overload_name.c_str());
}

std::string derived_name(const c10::OperatorName& kernel) {
  std::string name = kernel.name + (kernel.overload_name.empty() ? "" : "_") + kernel.overload_name;
  return name.replace(name.find("::"), 2, "_");
}

std::vector<std::string> untested(std::span<const Implementation> implementations, Affixes affixes,
                                  std::string_view what, bool (*has)(const Plan& plan)) {
  std::vector<std::string> parts;
  for (const Implementation& tested : implementations) {
    const std::string kernel = tested.name.substr(0, tested.name.find_first_of("@="));
    const bool is_derived = kernel.find(':') != kernel.find("::");
    if (!tested.custom || tested.comes_along || is_derived) continue;
    const bool has_it = std::ranges::any_of(tested.plans, [&](const Plan& plan) {
      return plan.variant == Variant::kFunctional && has(plan);
    });
    const std::string derived = std::string(affixes.prefix) + kernel + std::string(affixes.suffix);
    const bool is_tested = std::ranges::any_of(implementations, [&](const Implementation& other) {
      return other.name == derived || other.name.starts_with(derived + "@");
    });
    std::string part =
        std::string(what) + " of " + kernel + "; to test it, name it: --impl " + derived;
    if (has_it && !is_tested && std::ranges::find(parts, part) == parts.end())
      parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace indexfuzz
