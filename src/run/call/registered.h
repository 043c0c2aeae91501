#pragma once
// What is registered with PyTorch's dispatcher, by name.

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <string_view>
#include <vector>

namespace indexfuzz {

/// "mine::gather.out" in parts.
struct KernelName {
  std::string space;
  std::string name;      ///< empty: all of the namespace
  std::string overload;  ///< what follows the dot
  bool has_overload = false;
  bool on_self = false;  ///< whether kOutIsSelf follows that
};

/// The suffix of the name of a schema with `out` that is given self.
inline constexpr std::string_view kOutIsSelf = "=self";

KernelName parse_name(const std::string& text);

/// Every registered "NS::NAME" of a namespace, or of all if it is empty; sorted, without
/// repetition.
std::vector<std::string> registered_names(const std::string& space);

/// All overloads of "NS::NAME" that have a schema, sorted by their names.
std::vector<c10::OperatorHandle> overloads_of(const std::string& full_name);

/// Keeps only the overload that a name says, if it says one; returns one sentence if there is none,
/// else nothing. `handles`: all overloads of "NS::NAME".
std::string keep_overload(const std::string& name, const KernelName& parsed,
                          std::vector<c10::OperatorHandle>& handles);

/// Whether a call with tensors on the CPU, or on a GPU, reaches a kernel.
bool serves(const c10::OperatorHandle& handle, bool gpu);

/// Whether something is registered for calls with tensors that have no data.
bool has_meta_function(const c10::OperatorHandle& handle);

/// A sentence that says that a kernel, or a whole namespace, is not registered.
std::string not_registered(const std::string& name, const KernelName& parsed);
std::string nothing_registered(const std::string& space);

std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// The first names of a long list, and how many more there are.
std::string some_of(const std::vector<std::string>& names);

}  // namespace indexfuzz
