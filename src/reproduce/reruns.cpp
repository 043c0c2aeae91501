#include "reproduce/reruns.h"

#include <fmt/format.h>

namespace indexfuzz {

std::string in_words(const Reruns& reruns) {
  return fmt::format("{}{}/{}", reruns.is_intermittent() ? "intermittent " : "", reruns.failed,
                     reruns.runs);
}

}  // namespace indexfuzz
