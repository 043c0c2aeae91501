#include "run/call/named_implementation.h"

#include <charconv>
#include <utility>

#include "case/gpu_settings.h"
#include "case/strings/nearest_name.h"
#include "run/shared/job.h"

namespace indexfuzz {
namespace {

using What = NamedImplementation::What;

constexpr std::string_view kUsage =
    "use aten:cpu, aten:cuda, aten:meta, form:NAME, NAMESPACE::NAME, NAMESPACE, "
    "gradient:NAMESPACE::NAME or vmap:NAMESPACE::NAME";

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

ParsedImplementation wrong(std::string sentence) {
  return {{}, std::move(sentence)};
}

/// A kernel, or the kernels of a namespace, without a prefix or a device.
enum class Names { kKernel, kNamespace, kNothing };
Names what_is_named(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return name.empty() ? Names::kNothing : Names::kNamespace;
  const bool is_kernel =
      name.substr(colon).starts_with("::") && colon > 0 && colon + 2 < name.size();
  return is_kernel ? Names::kKernel : Names::kNothing;
}

ParsedImplementation one_kernel(What what, std::string_view name, std::string_view whose,
                                std::string_view before, std::string_view behind,
                                std::optional<int> device) {
  if (what_is_named(name) == Names::kKernel) return {{what, std::string(name), device}, {}};
  return wrong(std::string(whose) + " is that of one kernel: write " + std::string(before) +
               std::string(name) + "::NAME" + std::string(behind));
}

}  // namespace

ParsedImplementation parse_implementation(const std::string& name,
                                          std::span<const std::string> built_in) {
  if (name == "aten") return {{What::kAten, "aten:cpu", -1}, {}};
  if (name == kAtenMeta) return {{What::kAtenOnMeta, name, {}}, {}};
  if (constexpr std::string_view kAten = "aten:"; name.starts_with(kAten)) {
    if (const auto device = device_number(std::string_view(name).substr(kAten.size())))
      return {{What::kAten, name, device}, {}};
  }
  if (name.starts_with(kFormPrefix)) return {{What::kForm, name, {}}, {}};
  std::string_view rest = name;
  if (rest.ends_with(kMetaSuffix)) {
    rest.remove_suffix(kMetaSuffix.size());
    return one_kernel(What::kMetaFunction, rest, "a meta function", "", kMetaSuffix, {});
  }
  std::optional<int> device;
  if (const std::size_t at = rest.find('@'); at != std::string_view::npos) {
    const std::string_view text = rest.substr(at + 1);
    device = device_number(text);
    if (!device)
      return wrong(name + ": " + std::string(text) +
                   " is not a device; write @cpu, @cuda, @cuda:1 or @meta");
    rest = rest.substr(0, at);
  }
  const auto take_prefix = [&](std::string_view prefix) {
    const bool has_it = rest.starts_with(prefix);
    if (has_it) rest.remove_prefix(prefix.size());
    return has_it;
  };
  const bool is_gradient = take_prefix(kGradientPrefix), is_under_vmap = take_prefix(kVmapPrefix);
  const Names named = what_is_named(rest);
  if (named == Names::kNothing) {
    const bool may_be_mistyped =
        rest.find(':') != std::string_view::npos && !rest.starts_with(':') && !rest.ends_with("::");
    return wrong(may_be_mistyped ? std::string(rest) + " is not an implementation" +
                                       did_you_mean(rest, built_in, ": " + std::string(kUsage))
                                 : "'" + std::string(rest) +
                                       "' is not an implementation: " + std::string(kUsage));
  }
  if (is_gradient)
    return one_kernel(What::kGradient, rest, "a gradient", kGradientPrefix, "", device);
  if (is_under_vmap)
    return one_kernel(What::kBatchingRule, rest, "a batching rule", kVmapPrefix, "", device);
  return {{named == Names::kKernel ? What::kKernel : What::kNamespace, std::string(rest), device},
          {}};
}

}  // namespace indexfuzz
