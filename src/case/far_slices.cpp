#include "case/far_slices.h"

#include <numeric>

namespace indexfuzz {

std::optional<FarSlices> far_slices(const Operand& operand) {
  const Layout& layout = operand.layout;
  if (numel(operand.shape) == 0) return std::nullopt;
  for (const std::uint8_t d : layout.order) {
    const DimLayout& dim = layout.dims[d];
    // Windows share the elements that they slide over, so that they cannot be moved apart.
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

bool may_be_last(const Operand& operand) {
  const std::int64_t count = numel(operand.shape);
  return count > 0 && !operand.shape.empty() && is_contiguous(operand.layout) &&
         count * static_cast<std::int64_t>(item_size(operand.dtype)) <= kMostLastBytes;
}

std::int64_t slices_in_front(const Operand& operand) {
  if (!are_last(operand.slices) || !may_be_last(operand)) return 0;
  const std::int64_t slice = numel(operand.shape) / operand.shape[0];
  const std::int64_t bytes = slice * static_cast<std::int64_t>(item_size(operand.dtype));
  const std::int64_t step = kInFrontMultiple / std::gcd(bytes, kInFrontMultiple);
  const std::int64_t elements = elements_in_front(operand.slices);
  return (elements + step * slice - 1) / (step * slice) * step;
}

Dims called_shape(const Operand& operand) {
  Dims shape = operand.shape;
  if (const std::int64_t in_front = slices_in_front(operand); in_front > 0) shape[0] += in_front;
  return shape;
}

FarPlaces in_bytes(const FarSlices& slices, Dtype dtype) {
  const auto item = static_cast<std::int64_t>(item_size(dtype));
  return {slices.count, slices.stride * item, slices.extent * item, slices.apart * item};
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
  if (!are_apart(operand.slices)) return view;
  const auto slices = far_slices(operand);
  return slices ? spread(view, *slices) : view;
}

bool in_slice(const FarPlaces& places, std::int64_t far_offset) {
  return far_offset % places.apart_bytes < places.slice_bytes;
}

std::int64_t near_offset(const FarPlaces& places, std::int64_t far_offset) {
  const std::int64_t slice = far_offset / places.apart_bytes * places.near_bytes;
  return in_slice(places, far_offset) ? slice + far_offset % places.apart_bytes : slice;
}

void bring_together(const FarSlices& slices, Dims& strides) {
  if (slices.dimension < strides.size() && strides[slices.dimension] == slices.apart)
    strides[slices.dimension] = slices.stride;
}

}  // namespace indexfuzz
