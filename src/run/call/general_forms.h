#pragma once
// Forms that nearly every operator has, `form:NAME`: ATen's own operator, called in another way (on
// contiguous copies, in a batch) that must not change the result.

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "run/call/implementation.h"

namespace indexfuzz {

struct GeneralForm {
  std::string_view name;                  ///< "contiguous"
  bool (*is_of)(const OperatorInfo& op);  ///< whether the operator has the form
  bool in_place;         ///< whether in-place forms are called in this way, too, on copies
  std::uint32_t cost;    ///< of a call, about, relative to the quickest form
  IllegalCases illegal;  ///< those that are run, since it must refuse them, too
  /// Makes the call of ATen's operator, whose arguments are at the end of the stack, in this way,
  /// and leaves its results there.
  void (*call)(const c10::OperatorHandle& aten, torch::jit::Stack& stack);
  /// ATen's call, a template as in Form::python, made in this way.
  std::string (*python)(const Plan& plan, std::string_view call);
};

/// Sorted by name.
std::span<const GeneralForm> general_forms();

}  // namespace indexfuzz
