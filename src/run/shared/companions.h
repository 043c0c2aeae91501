#pragma once
// Kernels that may share state from one call to the next.

#include <algorithm>
#include <string_view>

namespace indexfuzz {

/// Whether both implementations are kernels of one namespace on one device, as
/// "mine::gather@cuda" and "mine::take@cuda" are: calls of one may decide what the other returns.
constexpr bool are_companions(std::string_view a, std::string_view b) {
  const std::size_t end = a.find("::");
  const auto device = [](std::string_view name) {
    return name.substr(std::min(name.find('@'), name.size()));
  };
  return end != std::string_view::npos && a.substr(0, end + 2) == b.substr(0, end + 2) &&
         device(a) == device(b);
}

}  // namespace indexfuzz
