#include "run/call/registered.h"

#include <algorithm>

#include "case/strings/nearest_name.h"
#include "run/call/python_libraries.h"

namespace indexfuzz {
namespace {

/// Every namespace in which something is registered.
std::vector<std::string> spaces() {
  std::vector<std::string> found;
  for (const std::string& name : registered_names("")) {
    const std::string space = name.substr(0, name.find("::"));
    if (found.empty() || found.back() != space) found.push_back(space);
  }
  return found;
}

std::string how_to_register() {
  return python_libraries().empty() ? "load the library that registers it with --load"
                                    : "register it with TORCH_LIBRARY, or in Python by a Library "
                                      "that is kept: what PYBIND11_MODULE defines is known to "
                                      "Python only";
}

}  // namespace

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

std::vector<std::string> registered_names(const std::string& space) {
  std::vector<std::string> names;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (space.empty() || name.name.starts_with(space + "::")) names.push_back(name.name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<c10::OperatorHandle> overloads_of(const std::string& full_name) {
  std::vector<std::string> overloads;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (name.name == full_name) overloads.push_back(name.overload_name);
  }
  std::sort(overloads.begin(), overloads.end());
  std::vector<c10::OperatorHandle> handles;
  for (const std::string& overload : overloads) {
    if (auto handle = c10::Dispatcher::singleton().findSchema({full_name, overload})) {
      handles.push_back(*handle);
    }
  }
  return handles;
}

std::string keep_overload(const std::string& name, const KernelName& parsed,
                          std::vector<c10::OperatorHandle>& handles) {
  if (!parsed.has_overload) return {};
  const std::string full = parsed.space + "::" + parsed.name;
  std::vector<std::string> overloads;
  for (const c10::OperatorHandle& handle : handles) {
    const std::string& overload = handle.schema().overload_name();
    overloads.push_back(full + "." + (overload.empty() ? "default" : overload));
  }
  std::erase_if(handles, [&](const c10::OperatorHandle& handle) {
    return handle.schema().overload_name() != parsed.overload;
  });
  if (!handles.empty()) return {};
  return name + " is not registered, only " + join(overloads, ", ") +
         did_you_mean(full + "." + parsed.overload, overloads);
}

bool serves(const c10::OperatorHandle& handle, bool gpu) {
  using c10::DispatchKey;
  for (const DispatchKey key :
       {gpu ? DispatchKey::CUDA : DispatchKey::CPU, DispatchKey::CompositeImplicitAutograd,
        DispatchKey::CompositeExplicitAutograd, DispatchKey::CompositeExplicitAutogradNonFunctional,
        gpu ? DispatchKey::AutogradCUDA : DispatchKey::AutogradCPU}) {
    if (handle.hasKernelForDispatchKey(key)) return true;
  }
  // An Autograd kernel serves every device, unless it only passes the call on to the device's own
  // kernel, as that of Python's custom_op does: then some device has such a kernel.
  return handle.hasKernelForDispatchKey(DispatchKey::Autograd) &&
         !handle.hasKernelForDispatchKey(gpu ? DispatchKey::CPU : DispatchKey::CUDA);
}

bool has_meta_function(const c10::OperatorHandle& handle) {
  return handle.hasKernelForDispatchKey(c10::DispatchKey::Meta);
}

std::string not_registered(const std::string& name, const KernelName& parsed) {
  std::vector<std::string> here = registered_names(parsed.space);
  const std::string full = parsed.space + "::" + parsed.name;
  std::string text = name + " is not registered";
  if (here.empty()) {
    // Suggest a kernel of a mistyped namespace, not any operator that has a similar name.
    const std::string near = nearest_name(parsed.space, spaces()) + "::" + parsed.name;
    if (near != full && !overloads_of(near).empty()) return text + "; did you mean " + near + "?";
    return text + ": nothing is, in the namespace " + parsed.space + "; " + how_to_register();
  }
  return text + did_you_mean(full, here, "; registered are " + some_of(here));
}

std::string nothing_registered(const std::string& space) {
  std::string spelled_for_dispatcher = space;  // torch.ops spells it mine.gather
  if (const std::size_t dot = space.find('.'); dot != std::string::npos)
    spelled_for_dispatcher.replace(dot, 1, "::");
  if (!overloads_of(spelled_for_dispatcher).empty())
    return space + " is not registered; did you mean " + spelled_for_dispatcher + "?";
  return "nothing is registered in the namespace " + space +
         did_you_mean(space, spaces(), "; " + how_to_register());
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 12;
  if (names.size() <= kShown) return join(names, ", ");
  return join({names.begin(), names.begin() + kShown}, ", ") + " and " +
         std::to_string(names.size() - kShown) + " more";
}

}  // namespace indexfuzz
