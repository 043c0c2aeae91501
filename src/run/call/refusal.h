#pragma once
// What kind of refusal an error is, by its message.

#include <string>
#include <string_view>

#include "memory/observation.h"

namespace indexfuzz {

/// The message up to its first newline.
std::string_view first_line(std::string_view message);
/// Shortens the place where an internal assertion failed, or with which an error begins, to the
/// file's name: the folders are those of the machine that built it, and the line changes with each
/// release.
void shorten_place(std::string& line);

/// kAsserted, kUnsupported or kRefused. kUnsupported: one of the wordings that ATen uses only for
/// dtypes.
Outcome outcome_of_error(std::string_view message);

}  // namespace indexfuzz
