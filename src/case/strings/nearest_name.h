#pragma once
// The nearest name to one that was mistyped.

#include <span>
#include <string>
#include <string_view>

namespace indexfuzz {

/// The least number of insertions, removals and replacements of letters, and swaps of neighbouring
/// ones, that turns a into b.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`; empty if all differ by more than max(2, a third of its length)
/// edits.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// What to append to a message about such a name: "; did you mean NEAREST?", or, if none is near,
/// `otherwise`.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates,
                         std::string_view otherwise = "");

}  // namespace indexfuzz
