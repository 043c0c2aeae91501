#include "cli/native_reasons.h"

#include <algorithm>

namespace indexfuzz {
namespace {

struct Known {
  std::string_view function;
  std::string_view why;
};

constexpr std::string_view kSymbolic = "symbolic sizes, which only tracing has, and errors";

constexpr std::string_view kByteMasks =
    "half of its parts are for masks of uint8, which masked_select refuses";

constexpr Known kKnown[] = {
    {"masked_select_kernel: cpu_masked_select_kernel", kByteMasks},
    {"masked_select_serial_kernel: cpu_masked_select_serial_kernel", kByteMasks},
    {"_scatter_via_index_put", "taken on GPUs only, under the deterministic flag"},
    {"_take_along_dim_helper", kSymbolic},
    {"embedding_symint", kSymbolic},
    {"masked_scatter__cpu", "tensors on two devices and other errors, and their messages"},
};

}  // namespace

std::string_view why_unreached(std::string_view function) {
  const auto known = std::ranges::find(kKnown, function, &Known::function);
  return known == std::end(kKnown) ? std::string_view() : known->why;
}

}  // namespace indexfuzz
