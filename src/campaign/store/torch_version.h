#pragma once
// Versions of PyTorch as text: "2.11.0+cu130", "2.12.0.dev20260101", "2.9.0rc1".

#include <array>
#include <optional>
#include <string_view>

namespace indexfuzz {

/// The numbers of a version, 0 for each that it lacks.
using ReleaseNumbers = std::array<int, 4>;

/// Reads "2.7.1" and ignores what follows ("+cu130", "rc1"); none if it begins with no number.
std::optional<ReleaseNumbers> release_numbers(std::string_view version);

/// Whether version `a` is older than version `b`: by their numbers, then a nightly build (by date)
/// before an alpha, a beta, a release candidate and the release. Builds of one version, for several
/// CUDAs, are of the same age, as are texts that are no version.
bool is_older(std::string_view a, std::string_view b);

}  // namespace indexfuzz
