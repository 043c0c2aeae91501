#pragma once
// What kind of refusal an error is, by its message.

#include <string>
#include <string_view>

#include "memory/observation.h"

namespace indexfuzz {

/// The message up to its first newline.
std::string_view first_line(std::string_view message);
/// Of the place where an internal assertion failed leaves the file's name alone: its folders are
/// those of whoever built it, and the line is another one in each release.
void shorten_place(std::string& line);

/// kAsserted, kUnsupported or kRefused. Unsupported are the wordings that ATen has for dtypes only.
Outcome outcome_of_error(std::string_view message);

}  // namespace indexfuzz
