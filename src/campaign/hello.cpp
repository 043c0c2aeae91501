#include "campaign/hello.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "campaign/failure.h"
#include "ops/definition/operator.h"
#include "run/shared/companions.h"

namespace indexfuzz {
namespace {

std::optional<Variant> variant_from_name(std::string_view text) {
  for (const Variant variant : {Variant::kFunctional, Variant::kInPlace, Variant::kOut}) {
    if (text == name(variant)) return variant;
  }
  return std::nullopt;
}

/// Nothing for a form that this program does not know.
std::optional<ImplementationForm> parse_form(const nlohmann::json& json) {
  const OperatorInfo* info = find_operator(json.at("operator").get<std::string>());
  const auto variant = variant_from_name(json.at("variant").get<std::string>());
  if (info == nullptr || !variant) return std::nullopt;
  const std::string overload = json.value("overload", "");
  for (std::size_t i = 0; i < info->overloads.size(); ++i) {
    if (info->overloads[i].name != overload) continue;
    return ImplementationForm{info->number, static_cast<std::uint8_t>(i), *variant,
                              json.value("python", ""), json.value("cpp", "")};
  }
  return std::nullopt;
}

}  // namespace

int ImplementationInfo::gpu() const {
  if (!on_gpu()) return -1;
  int number = 0;
  const std::size_t digits = std::min(device.find(':') + 1, device.size());
  std::from_chars(device.data() + digits, device.data() + device.size(), number);
  return number;
}

Hello parse_hello(std::string_view text) {
  Hello hello;
  try {
    const auto json = nlohmann::json::parse(text);
    if (const std::string error = json.value("error", ""); !error.empty()) {
      if (json.value("device_missing", false)) throw DeviceMissing(error);
      throw SetupError(error);
    }
    hello.torch = json.at("torch");
    hello.libfuzzer = json.at("libfuzzer");
    hello.left_out = json.value("left_out", std::vector<std::string>());
    hello.notes = json.value("notes", std::vector<std::string>());
    hello.gpus = json.value("gpus", std::vector<std::string>());
    hello.python_libraries = json.value("python_libraries", std::vector<std::string>());
    hello.no_gpu = json.value("no_gpu", "");
    for (const auto& entry : json.at("implementations")) {
      ImplementationInfo implementation;
      implementation.name = entry.at("name");
      implementation.device = entry.value("device", "cpu");
      implementation.custom = entry.value("custom", false);
      implementation.comes_along = entry.value("comes_along", false);
      for (const auto& form : entry.at("forms")) {
        if (auto parsed = parse_form(form)) implementation.forms.push_back(std::move(*parsed));
      }
      hello.implementations.push_back(std::move(implementation));
    }
  } catch (const nlohmann::json::exception& error) {
    throw SetupError(fmt::format(
        "indexfuzz-worker answered something that this indexfuzz does not understand ({}); "
        "both must be of one build.",
        error.what()));
  }
  return hello;
}

void require_unchanged(const Hello& before, const Hello& now) {
  if (before.implementations == now.implementations) return;
  if (first_on_gpu(before) && !first_on_gpu(now) && !now.no_gpu.empty())
    throw DeviceMissing(fmt::format("the GPU was lost: {}.", now.no_gpu));
  // Of one that was added or removed, the first that is not in its place any more.
  const auto [old, other] = std::ranges::mismatch(before.implementations, now.implementations);
  throw SetupError(
      fmt::format("a library has changed while the campaign ran: {} is not what it was.",
                  old != before.implementations.end() ? old->name : other->name));
}

const ImplementationForm* form_for(const ImplementationInfo& implementation, const Case& c) {
  for (const ImplementationForm& form : implementation.forms) {
    if (form.op == c.op && form.overload == c.overload && form.variant == c.variant) return &form;
  }
  return nullptr;
}

const ImplementationInfo* caller_before(const Hello& hello, std::uint32_t judged, const Case& c) {
  const ImplementationInfo& own = hello.implementations[judged];
  if (form_for(own, c) != nullptr) return &own;
  const auto companion =
      std::ranges::find_if(hello.implementations, [&](const ImplementationInfo& other) {
        return are_companions(own.name, other.name) && form_for(other, c) != nullptr;
      });
  return companion == hello.implementations.end() ? nullptr : &*companion;
}

std::vector<std::uint32_t> implementations_for(const Hello& hello, const Case& c) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < hello.implementations.size(); ++i) {
    if (form_for(hello.implementations[i], c) != nullptr) result.push_back(i);
  }
  return result;
}

std::string name_of(const Hello& hello, std::uint32_t implementation) {
  const auto& all = hello.implementations;
  return implementation < all.size() ? all[implementation].name : "";
}

std::optional<std::uint32_t> first_on_gpu(const Hello& hello) {
  const auto first = std::ranges::find_if(hello.implementations, &ImplementationInfo::on_gpu);
  if (first == hello.implementations.end()) return std::nullopt;
  return static_cast<std::uint32_t>(first - hello.implementations.begin());
}

bool has_operator(const ImplementationInfo& implementation, std::uint16_t op) {
  return std::ranges::any_of(implementation.forms, [&](const auto& form) { return form.op == op; });
}

std::set<int> gpus_of(const Hello& hello) {
  std::set<int> gpus;
  for (const ImplementationInfo& implementation : hello.implementations) {
    if (implementation.on_gpu()) gpus.insert(implementation.gpu());
  }
  return gpus;
}

std::vector<Target> targets(const Hello& hello, std::span<const std::string> names) {
  std::vector<Target> result;
  for (const OperatorInfo* info : operators()) {
    if (!names.empty() && std::ranges::find(names, info->name) == names.end()) continue;
    for (const Target& target : targets_of(*info)) {
      Case probe;
      probe.op = target.op;
      probe.overload = target.overload;
      probe.variant = target.variant;
      const bool wanted = std::ranges::any_of(
          hello.implementations, [&](const auto& i) { return form_for(i, probe) != nullptr; });
      if (wanted) result.push_back(target);
    }
  }
  return result;
}

}  // namespace indexfuzz
