#pragma once
// The nearest name to one that was mistyped.

#include <span>
#include <string>
#include <string_view>

namespace indexfuzz {

/// How many letters must be inserted, removed or replaced, or neighbours swapped, to turn a into b.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`; empty where none is near (more than a third of it differs).
std::string nearest(std::string_view name, std::span<const std::string> candidates);

}  // namespace indexfuzz
