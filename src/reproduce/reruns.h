#pragma once
// How often a failing case failed again.

#include <string>

namespace indexfuzz {

/// `failed` of `runs` fresh re-runs of a case failed. Without any run, nothing is known.
struct Reruns {
  int failed = 0;
  int runs = 0;
  bool is_intermittent() const { return failed < runs; }
};

/// "10/10", or "intermittent 3/10".
std::string in_words(const Reruns& reruns);

}  // namespace indexfuzz
