#include "case/far_slices.h"

namespace indexfuzz {

std::optional<FarSlices> far_slices(const Operand& operand) {
  const Layout& layout = operand.layout;
  if (numel(operand.shape) == 0) return std::nullopt;
  for (const std::uint8_t d : layout.order) {
    const DimLayout& dim = layout.dims[d];
    // Windows share what they slide over.
    if (dim.slides) return std::nullopt;
    const std::int64_t count = operand.shape[d];
    if (count == 1 || dim.expanded) continue;
    if (count > kMostFarSlices) return std::nullopt;
    const Strided view = strided(operand.shape, layout);
    const std::int64_t stride = view.strides[d];
    const std::int64_t extent = view.extent - (count - 1) * stride;
    if (extent * static_cast<std::int64_t>(item_size(operand.dtype)) > kMostFarSliceBytes)
      return std::nullopt;
    return FarSlices{d, count, stride, extent, std::int64_t{1} << far_exponent(operand.slices)};
  }
  return std::nullopt;
}

Strided spread(Strided view, const FarSlices& slices) {
  const std::int64_t more = (slices.count - 1) * (slices.apart - slices.stride);
  view.strides[slices.dimension] = slices.apart;
  view.extent += more;
  view.storage_elements += more;
  return view;
}

Strided far_view(const Operand& operand) {
  const Strided view = strided(operand.shape, operand.layout);
  if (operand.slices == Slices::kNear) return view;
  const auto slices = far_slices(operand);
  return slices ? spread(view, *slices) : view;
}

}  // namespace indexfuzz
