#pragma once
// What a zygote reports once it has loaded torch and the plugins.

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "case/case.h"
#include "draw/target.h"

namespace indexfuzz {

/// One (operator, overload, variant) that an implementation has.
struct ImplementationForm {
  std::uint16_t op = 0;
  std::uint8_t overload = 0;
  Variant variant = Variant::kFunctional;
  std::string python;  ///< templates as in ops/definition/schema.h's Form; empty for ATen's own
  std::string cpp;
  bool operator==(const ImplementationForm&) const = default;
};

struct ImplementationInfo {
  std::string name;
  std::string device = "cpu";  ///< "cuda:0"
  bool on_gpu() const { return device != "cpu"; }
  int gpu() const;  ///< the number of its GPU; -1 on the CPU
  bool custom = false;
  bool comes_along = false;  ///< made from one that was asked for; it may refuse every call
  std::vector<ImplementationForm> forms;
  bool operator==(const ImplementationInfo&) const = default;
};

struct Hello {
  std::string torch;
  bool libfuzzer = false;  ///< whether there is a coverage engine
  std::vector<ImplementationInfo> implementations;
  std::vector<std::string> left_out;  ///< a sentence for each kernel that is not run
  std::vector<std::string> notes;     ///< a sentence for what a library does as it is loaded
  /// The libraries that the zygote loaded first, for one that is a Python extension.
  std::vector<std::string> python_libraries;
  std::vector<std::string> gpus;  ///< the names of the GPUs that CUDA shows
  std::string no_gpu;             ///< why no GPU is used, if one was wanted
};

/// Throws SetupError with the zygote's own sentence if it could not set itself up.
Hello parse_hello(std::string_view json);

/// Throws SetupError if a zygote that was started again does not have the implementations and forms
/// that it had before, in the same order: their numbers would mean other kernels. DeviceMissing if
/// it lacks those on GPUs.
void require_unchanged(const Hello& before, const Hello& now);

/// The form in which an implementation is called on a case; null if it has none for it.
const ImplementationForm* form_for(const ImplementationInfo& implementation, const Case& c);
/// The implementation that is called on a case which runs before a judged one: the judged
/// implementation or, if it has no form for the case, its companion (run/shared/companions.h); null
/// if neither has one.
const ImplementationInfo* caller_before(const Hello& hello, std::uint32_t judged, const Case& c);
/// The implementations that have a form for the case, by their places in `implementations`.
std::vector<std::uint32_t> implementations_for(const Hello& hello, const Case& c);
/// The name of the implementation at this place; "" if there is none.
std::string name_of(const Hello& hello, std::uint32_t implementation);
/// The place of the first implementation on a GPU.
std::optional<std::uint32_t> first_on_gpu(const Hello& hello);
/// Whether the implementation has any form of the operator of this number.
bool has_operator(const ImplementationInfo& implementation, std::uint16_t op);

/// The numbers of the GPUs that implementations are on.
std::set<int> gpus_of(const Hello& hello);

/// The forms to draw cases for, in a fixed order: all those of the named operators (of all, if none
/// is named) that some implementation has.
std::vector<Target> targets(const Hello& hello, std::span<const std::string> operators);

}  // namespace indexfuzz
