#pragma once
// Forms that nearly every operator has, `form:NAME`: ATen's own forms, called in another way that
// must not matter.

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
  bool in_place;         ///< whether ATen's in-place forms are called in this way, too, on copies
  std::uint32_t cost;    ///< of a call, in calls of the quickest form, about
  IllegalCases illegal;  ///< that its form must refuse, too
  /// Calls ATen's operator in place of itself, with its arguments at the end of the stack.
  void (*call)(const c10::OperatorHandle& aten, torch::jit::Stack& stack);
  /// ATen's call, a template as in Form::python, made in this way.
  std::string (*python)(const Plan& plan, std::string_view call);
};

/// Sorted by name.
std::span<const GeneralForm> general_forms();

}  // namespace indexfuzz
