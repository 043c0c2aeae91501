#pragma once
// What a person means by --impl NAME, read from the name alone: nothing is looked up.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace indexfuzz {

inline constexpr std::string_view kAtenMeta = "aten:meta",
                                  kFormPrefix = "form:", kGradientPrefix = "gradient:",
                                  kVmapPrefix = "vmap:", kMetaSuffix = "@meta";

struct NamedImplementation {
  enum class What : std::uint8_t {
    kAten,          ///< "aten:cpu", "aten:cuda:1": PyTorch's own operators
    kAtenOnMeta,    ///< "aten:meta"
    kForm,          ///< "form:gather_as_index"
    kNamespace,     ///< "mine": all kernels of a namespace
    kKernel,        ///< "mine::gather", "mine::gather.out"
    kMetaFunction,  ///< "mine::gather@meta"
    kGradient,      ///< "gradient:mine::gather"
    kBatchingRule,  ///< "vmap:mine::gather"
  };
  What what = What::kAten;
  std::string name;           ///< of the kernel or namespace alone; else all of it
  std::optional<int> device;  ///< a GPU's number, or -1 for the CPU; none: all there are
};

struct ParsedImplementation {
  NamedImplementation named;
  std::string error;  ///< empty, or one sentence: what was found, what was expected
};
/// `built_in`: the names that a mistyped one is compared with.
ParsedImplementation parse_implementation(const std::string& name,
                                          std::span<const std::string> built_in);

}  // namespace indexfuzz
