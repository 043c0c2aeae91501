#pragma once
// What a zygote says of itself once it has loaded torch and the plugins.

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "case/case.h"
#include "draw/draw.h"

namespace indexfuzz {

/// One (operator, overload, variant) that an implementation has.
struct ImplementationForm {
  std::uint16_t op = 0;
  std::uint8_t overload = 0;
  Variant variant = Variant::kFunctional;
  std::string python;  ///< templates as in ops/operator.h's Form; empty for ATen's own
  std::string cpp;
};

struct ImplementationInfo {
  std::string name;
  std::string device = "cpu";  ///< "cuda:0"
  bool on_gpu() const { return device != "cpu"; }
  int gpu() const;  ///< the number of the one that it is on; -1: none
  bool custom = false;
  bool comes_along = false;  ///< with one that was asked for: it need not take any call
  std::vector<ImplementationForm> forms;
};

struct Hello {
  std::string torch;
  bool libfuzzer = false;  ///< whether there is a coverage engine
  std::vector<ImplementationInfo> implementations;
  std::vector<std::string> left_out;  ///< a sentence for each kernel of a namespace that cannot run
  std::vector<std::string> notes;     ///< a sentence for what a library does as it is loaded
  /// What it loaded for a library that is a Python extension.
  std::vector<std::string> python_libraries;
  std::vector<std::string> gpus;  ///< the names of those that CUDA shows
  std::string no_gpu;             ///< why none is used, where that was asked
};

/// Throws SetupError with the zygote's own sentence where it could not set itself up.
Hello parse_hello(std::string_view json);

/// The form of an implementation that a case is for; null where it has none.
const ImplementationForm* form_for(const ImplementationInfo& implementation, const Case& c);
/// Who is called on a case that runs before one of the judged implementation: that itself or,
/// where it has another operator, its companion (run/companions.h); null where neither has a form
/// for it.
const ImplementationInfo* caller_before(const Hello& hello, std::uint32_t judged, const Case& c);
/// The implementations that have one for it, by their places.
std::vector<std::uint32_t> implementations_for(const Hello& hello, const Case& c);
/// The first implementation on a GPU.
std::optional<std::uint32_t> first_on_gpu(const Hello& hello);
bool has_operator(const ImplementationInfo& implementation, std::uint16_t op);

/// The GPUs that implementations are on, by their numbers.
std::set<int> gpus_of(const Hello& hello);

/// What to draw cases for: every form that some implementation has, in a fixed order, of the named
/// operators (none named: all).
std::vector<Target> targets(const Hello& hello, std::span<const std::string> operators);

}  // namespace indexfuzz
