#include "cli/native_reasons.h"

#include <algorithm>

namespace indexfuzz {
namespace {

struct Known {
  std::string_view function;
  std::string_view why;
};

constexpr std::string_view kReduces = "of scatter with reduce=, which is not drawn";
constexpr std::string_view kSymbolic = "symbolic sizes, which only tracing has, and errors";

constexpr std::string_view kByteMasks =
    "half of its parts are for masks of uint8, which masked_select refuses";

constexpr Known kKnown[] = {
    {"masked_select_kernel: cpu_masked_select_kernel", kByteMasks},
    {"masked_select_serial_kernel: cpu_masked_select_serial_kernel", kByteMasks},
    {"_scatter_via_index_put", "taken on GPUs only, under the deterministic flag"},
    {"scatter_scalar_reduce_cpu_kernel<ReductionType>", kReduces},
    {"structured_scatter_value_reduce_out::impl", kReduces},
    {"cpu_scatter_gather_base_kernel<ReduceAdd>",
     "half of its parts are of scatter with a number and reduce=, which is not drawn"},
    {"scatter_impl<scatter_reduce_stub_DECLARE_DISPATCH_type, scatter_stub_DECLARE_DISPATCH_type>",
     "the branches of reduce=, which is not drawn, and errors"},
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
