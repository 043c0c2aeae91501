#include "case/layout.h"

#include <algorithm>

namespace indexfuzz {
namespace {

/// Base elements between the first and the last element that the view takes along a dimension.
std::int64_t span_of(std::int64_t size, const DimLayout& dim) {
  return size == 0 || dim.expanded ? 0 : (size - 1) * dim.step;
}

}  // namespace

void make_contiguous(Layout& layout, int rank) {
  const auto count = static_cast<std::size_t>(rank);
  layout.offset = 0;
  layout.dims.assign(count, DimLayout{});
  layout.order.resize(count, boost::container::default_init);
  for (std::size_t d = 0; d < count; ++d) layout.order[d] = static_cast<std::uint8_t>(d);
}

Layout contiguous_layout(int rank) {
  Layout layout;
  make_contiguous(layout, rank);
  return layout;
}

boost::container::static_vector<BaseDim, kMaxDims> base_of(const Dims& shape,
                                                           const Layout& layout) {
  boost::container::static_vector<BaseDim, kMaxDims> base;
  for (std::size_t p = 0; p < layout.order.size(); ++p) {
    int slider = -1;
    if (layout.dims[layout.order[p]].slides) slider = layout.order[p++];
    const int d = layout.order[p];
    const DimLayout& dim = layout.dims[static_cast<std::size_t>(d)];
    const std::int64_t size = shape[static_cast<std::size_t>(d)];
    std::int64_t length = 1;
    if (!dim.expanded) {
      length = dim.before + (size == 0 ? 0 : span_of(size, dim) + 1) + dim.after;
      if (slider >= 0) {
        length += span_of(shape[static_cast<std::size_t>(slider)],
                          layout.dims[static_cast<std::size_t>(slider)]);
      }
    }
    base.push_back({length, d, slider});
  }
  return base;
}

Strided strided(const Dims& shape, const Layout& layout) {
  Strided result;
  strided(shape, layout, result);
  return result;
}

void strided(const Dims& shape, const Layout& layout, Strided& result) {
  result.strides.resize(shape.size(), boost::container::default_init);
  result.storage_offset = layout.offset;
  std::int64_t stride = 1;
  std::int64_t last = 0;
  bool empty = false;
  std::int64_t base_elements = 1;
  // Innermost first; a sliding dimension takes the base stride of its successor in memory order.
  for (std::size_t p = layout.order.size(); p-- > 0;) {
    const std::size_t d = layout.order[p];
    const DimLayout& dim = layout.dims[d];
    const std::int64_t size = shape[d];
    empty |= size == 0;
    if (dim.expanded) {
      result.strides[d] = 0;
      continue;
    }
    std::int64_t length = dim.before + (size == 0 ? 0 : span_of(size, dim) + 1) + dim.after;
    result.strides[d] = stride * dim.step;
    result.storage_offset += stride * dim.before;
    last += stride * span_of(size, dim);
    if (p > 0 && layout.dims[layout.order[p - 1]].slides) {
      const std::size_t slider = layout.order[--p];
      const std::int64_t slide = span_of(shape[slider], layout.dims[slider]);
      empty |= shape[slider] == 0;
      result.strides[slider] = stride * layout.dims[slider].step;
      last += stride * slide;
      length += slide;
    }
    base_elements *= length;
    stride *= std::max<std::int64_t>(length, 1);
  }
  result.storage_elements = layout.offset + base_elements;
  result.extent = empty ? 0 : last + 1;
  // An empty view may start beyond the end of an empty base, as in PyTorch.
  result.storage_elements =
      std::max(result.storage_elements, result.storage_offset + result.extent);
}

bool has_expanded(const Layout& layout) {
  return std::ranges::any_of(layout.dims, [](const DimLayout& d) { return d.expanded; });
}

bool has_sliding(const Layout& layout) {
  return std::ranges::any_of(layout.dims, [](const DimLayout& d) { return d.slides; });
}

bool has_gaps_or_order(const Layout& layout) {
  for (std::size_t d = 0; d < layout.dims.size(); ++d) {
    if (layout.order[d] != d || layout.dims[d] != DimLayout{}) return true;
  }
  return false;
}

bool is_contiguous(const Layout& layout) {
  return layout.offset == 0 && !has_gaps_or_order(layout);
}

}  // namespace indexfuzz
