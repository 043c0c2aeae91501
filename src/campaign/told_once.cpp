#include "campaign/told_once.h"

#include <fmt/format.h>

#include "run/shared/shared_failures.h"

namespace indexfuzz {
namespace {

constexpr int kSlowStart = 15;  // seconds

}  // namespace

void ToldOnce::getting_ready(double seconds) {
  if (told_to_wait_ || seconds <= kSlowStart) return;
  told_to_wait_ = true;
  listener_.note(
      fmt::format("the worker is not ready after {} s: it loads PyTorch and the plugins, and asks "
                  "the driver for its GPUs.",
                  kSlowStart));
}

void ToldOnce::untracked(std::uint64_t untracked) {
  if (told_of_untracked_ || untracked == 0) return;
  told_of_untracked_ = true;
  listener_.note(
      fmt::format("{} failures are known, and no more can be told apart: what else fails is let "
                  "go, and the campaign is inconclusive.",
                  kMaxSilenced));
}

void ToldOnce::first_calls(const Hello& hello, std::span<const std::uint32_t> implementations) {
  for (const std::uint32_t i : implementations) {
    if (i >= hello.implementations.size() || !told_of_first_calls_.insert(i).second) continue;
    listener_.note(
        fmt::format("{} has not returned from its first call, which is let go, since it may "
                    "compile something: with more --time it would be seen whether it hangs.",
                    hello.implementations[i].name));
  }
}

}  // namespace indexfuzz
