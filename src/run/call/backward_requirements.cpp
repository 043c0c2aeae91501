#include "run/call/backward_requirements.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <c10/util/accumulate.h>

#include <algorithm>

#include "run/call/gradient_call.h"
#include "run/call/gradient_parts.h"

namespace indexfuzz {
namespace {

using at::Tensor;
using gradients::require;
using Arguments = std::span<const c10::IValue>;

// Of duplicates among the indices of what replaces elements, only one has a gradient.
void require_unique(const Tensor& counts) {
  require(counts.numel() == 0 || counts.max().item<double>() <= 1, "duplicate indices");
}

at::TensorOptions counted_on(const Tensor& tensor) {
  return at::dtype(at::kDouble).device(tensor.device());
}

void require_whole_rows(Arguments arguments) {
  require(!arguments[3].toBool() && arguments[2].toInt() < 0, "rows left out or scaled");
}

// A factor of 0 makes NaN of infinity, which no gradient shows.
void require_factor(Arguments arguments) {
  require(arguments[4].toScalar().toComplexDouble() != 0.0, "a factor of 0");
}

void require_unique_slices(Arguments arguments) {
  require_unique(at::bincount(arguments[2].toTensor().reshape({-1})));
}

void require_unique_places(Arguments arguments) {
  if (arguments[3].toBool()) return;  // sums
  const Tensor self = arguments[0].toTensor();
  require_unique(at::index_put(at::zeros(self.sizes(), counted_on(self)),
                               arguments[1].to<gradients::Indices>(),
                               at::ones({}, counted_on(self)), true));
}

void require_unique_positions(Arguments arguments) {
  if (arguments[3].toBool()) return;  // sums
  const Tensor self = arguments[0].toTensor(), index = arguments[1].toTensor();
  require_unique(at::zeros(self.sizes(), counted_on(self))
                     .put_(index, at::ones(index.sizes(), counted_on(self)), true));
}

void require_unique_in_planes(Arguments arguments) {
  const auto size = arguments[2].toIntVector();
  const auto dims = static_cast<std::int64_t>(size.size());
  const Tensor positions = arguments[1].toTensor().flatten(0, -dims - 1).flatten(1);
  const at::TensorOptions counted = counted_on(arguments[0].toTensor());
  require_unique(at::zeros({positions.size(0), c10::multiply_integers(size)}, counted)
                     .scatter_add_(1, positions, at::ones(positions.sizes(), counted)));
}

void require_whole_src(Arguments arguments) {
  if (!arguments[3].isTensor()) return;
  require(arguments[3].toTensor().sizes() == arguments[2].toTensor().sizes(), "a part of src");
}

void require_whole_src_once(Arguments arguments) {
  require_whole_src(arguments);
  require(!arguments[3].isTensor() ||
              !gradients::has_duplicates(arguments[2].toTensor(), arguments[1].toInt(),
                                         arguments[0].toTensor()),
          "duplicate indices");
}

void require_no_initial(Arguments arguments) {
  const c10::IValue& initial = arguments[7];
  require(initial.isNone() || initial.toScalar().toDouble() == 0.0, "an initial");
}

constexpr BackwardRequirement kRequirements[] = {
    {"embedding", require_whole_rows},          {"index_add", require_factor},
    {"index_copy", require_unique_slices},      {"index_put", require_unique_places},
    {"max_unpool2d", require_unique_in_planes}, {"max_unpool3d", require_unique_in_planes},
    {"put", require_unique_positions},          {"scatter", require_whole_src_once},
    {"scatter_add", require_whole_src},         {"scatter_reduce", require_whole_src},
    {"segment_reduce", require_no_initial},
};

}  // namespace

std::span<const BackwardRequirement> backward_requirements() {
  return kRequirements;
}

void require_backward(std::string_view op, Arguments arguments) {
  const auto found = std::ranges::find(kRequirements, op, &BackwardRequirement::op);
  if (found != std::end(kRequirements)) found->require(arguments);
}

}  // namespace indexfuzz
