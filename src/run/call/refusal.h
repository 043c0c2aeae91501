#pragma once
// What kind of refusal an error is, by its message.

#include <string>
#include <string_view>

#include "memory/observation.h"

namespace indexfuzz {

/// The message up to its first newline.
std::string_view first_line(std::string_view message);
/// Names the file whose internal assertion failed without its folders, which are those of whoever
/// built it.
void drop_folders(std::string& line);

/// kAsserted, kUnsupported or kRefused. Unsupported are the wordings that ATen has for dtypes only.
Outcome outcome_of_error(std::string_view message);

}  // namespace indexfuzz
