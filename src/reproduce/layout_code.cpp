// Writes a layout as a person would: view, transpose, slice, expand or unfold. Each step's sizes
// and strides are computed as PyTorch does; if the chain does not end at exactly the layout's
// strides, as_strided is written instead.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "case/layout.h"
#include "reproduce/quoting.h"
#include "reproduce/reproduction.h"

namespace indexfuzz {
namespace {

using Places = boost::container::static_vector<int, kMaxDims>;

std::string tuple(const auto& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

/// A tensor over the storage, and the code that made it.
struct View {
  std::string code;
  Dims sizes;
  Dims strides;
  std::int64_t offset = 0;
};

/// `base[offset:offset + n].view(lengths)`.
View cut(const std::string& base, const Dims& lengths, std::int64_t offset, std::int64_t storage) {
  View view{base, lengths, row_major_strides(lengths), offset};
  const std::int64_t n = numel(lengths);
  if (lengths.empty()) {
    view.code += fmt::format("[{}]", offset);
    return view;
  }
  if (offset + n != storage) {
    view.code += fmt::format("[{}:{}]", offset == 0 ? "" : fmt::to_string(offset), offset + n);
  } else if (offset != 0) {
    view.code += fmt::format("[{}:]", offset);
  }
  if (lengths.size() > 1) view.code += fmt::format(".view({})", tuple(lengths));
  return view;
}

/// The new dimension i is the old dimension places[i].
void permute(View& view, const Places& places) {
  if (std::ranges::is_sorted(places)) return;
  Places moved;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] != static_cast<int>(i)) moved.push_back(static_cast<int>(i));
  }
  if (places.size() == 2) {
    view.code += ".t()";
  } else if (moved.size() == 2) {
    view.code += fmt::format(".transpose({})", tuple(moved));
  } else {
    view.code += fmt::format(".permute({})", tuple(places));
  }
  const View old = view;
  for (std::size_t i = 0; i < places.size(); ++i) {
    view.sizes[i] = old.sizes[static_cast<std::size_t>(places[i])];
    view.strides[i] = old.strides[static_cast<std::size_t>(places[i])];
  }
}

/// Takes `size` elements, `dim.step` apart, from `dim.before` on; returns the slice as code.
std::string take(View& view, std::size_t d, std::int64_t size, std::int64_t span,
                 const DimLayout& dim) {
  const std::int64_t length = view.sizes[d];
  const std::int64_t rest = length - dim.before - span;
  std::string slice = dim.before == 0 ? ":" : fmt::format("{}:", dim.before);
  // The slice needs no end if the step takes no further element from the tail.
  if (rest >= dim.step || size == 0) {
    slice += size == 0 ? fmt::to_string(dim.before) : fmt::format("-{}", rest);
  }
  if (dim.step != 1) slice += fmt::format(":{}", dim.step);
  view.sizes[d] = size;
  view.offset += dim.before * view.strides[d];
  view.strides[d] *= dim.step;
  return slice;
}

void write_slices(View& view, std::vector<std::string> slices) {
  while (!slices.empty() && slices.back() == ":") slices.pop_back();
  if (!slices.empty()) view.code += fmt::format("[{}]", fmt::join(slices, ", "));
}

bool has_unused_elements(std::int64_t length, std::int64_t span, const DimLayout& dim) {
  return length != span || dim.step != 1;
}

/// Expands the view to the operand's shape, if the operand is expanded.
void expand(View& view, const Operand& operand) {
  if (!has_expanded(operand.layout)) return;
  for (std::size_t d = 0; d < operand.shape.size(); ++d) {
    if (view.sizes[d] != operand.shape[d]) view.strides[d] = 0;
    view.sizes[d] = operand.shape[d];
  }
  view.code += fmt::format(".expand({})", tuple(operand.shape));
}

/// Lets windows slide over dimension p of the view: it and a new last one become the slider and the
/// dimension that it slides over. `carried` has the logical dimension of each.
void unfold(View& view, const Operand& operand, const BaseDim& dim, std::size_t p,
            Places& carried) {
  const int host = dim.dimension;
  const int slider = dim.slider;
  const auto size_of = [&](int d) { return operand.shape[static_cast<std::size_t>(d)]; };
  const auto step_of = [&](int d) { return operand.layout.dims[static_cast<std::size_t>(d)].step; };
  // unfold leaves the number of windows in place and appends a dimension of the places within a
  // window, one apart.
  const int inner = step_of(host) == 1 ? host : slider;
  const int outer = inner == host ? slider : host;
  const std::int64_t step = step_of(outer);
  view.code += fmt::format(".unfold({}, {}, {})", p, size_of(inner), step);
  carried[p] = outer;
  carried.push_back(inner);
  view.sizes[p] = view.sizes[p] < size_of(inner) ? -1 : (view.sizes[p] - size_of(inner)) / step + 1;
  view.sizes.push_back(size_of(inner));
  view.strides.push_back(view.strides[p]);
  view.strides[p] *= step;
}

/// Without sliding dimensions: view, transpose, slice, expand.
View plain_chain(const Operand& operand, const std::string& base, const Strided& target) {
  const Layout& layout = operand.layout;
  const auto dims = base_of(operand.shape, layout);
  Dims lengths;
  Places places(dims.size());
  for (std::size_t p = 0; p < dims.size(); ++p) {
    lengths.push_back(dims[p].length);
    places[static_cast<std::size_t>(dims[p].dimension)] = static_cast<int>(p);
  }
  View view = cut(base, lengths, layout.offset, target.storage_elements);
  permute(view, places);
  std::vector<std::string> slices;
  for (std::size_t d = 0; d < operand.shape.size(); ++d) {
    const DimLayout& dim = layout.dims[d];
    const std::int64_t size = operand.shape[d];
    const std::int64_t span = size == 0 ? 0 : (size - 1) * dim.step + 1;
    const bool sliced = !dim.expanded && has_unused_elements(view.sizes[d], span, dim);
    slices.push_back(sliced ? take(view, d, size, span, dim) : ":");
  }
  write_slices(view, slices);
  expand(view, operand);
  return view;
}

/// With sliding dimensions: view, slice, unfold, permute, expand.
View sliding_chain(const Operand& operand, const std::string& base, const Strided& target) {
  const Layout& layout = operand.layout;
  const auto dims = base_of(operand.shape, layout);
  Dims lengths;
  Places carried;  // the logical dimension of each dimension of the view
  for (const BaseDim& dim : dims) {
    lengths.push_back(dim.length);
    carried.push_back(dim.dimension);
  }
  View view = cut(base, lengths, layout.offset, target.storage_elements);
  std::vector<std::string> slices;
  for (std::size_t p = 0; p < dims.size(); ++p) {
    const auto d = static_cast<std::size_t>(dims[p].dimension);
    DimLayout dim = layout.dims[d];
    const std::int64_t size = operand.shape[d];
    std::int64_t kept = size;
    std::int64_t span = size == 0 ? 0 : (size - 1) * dim.step + 1;
    if (dims[p].slider >= 0) {
      kept = span = dims[p].length - dim.before - dim.after;
      dim.step = 1;
    }
    const bool sliced = !dim.expanded && has_unused_elements(view.sizes[p], span, dim);
    slices.push_back(sliced ? take(view, p, kept, span, dim) : ":");
  }
  write_slices(view, slices);
  for (std::size_t p = 0; p < dims.size(); ++p) {
    if (dims[p].slider >= 0) unfold(view, operand, dims[p], p, carried);
  }
  Places places(carried.size());
  for (std::size_t p = 0; p < carried.size(); ++p) {
    places[static_cast<std::size_t>(carried[p])] = static_cast<int>(p);
  }
  permute(view, places);
  expand(view, operand);
  return view;
}

}  // namespace

std::string python_as_strided(const Dims& shape, const Strided& view, const std::string& base) {
  return fmt::format("{}.as_strided({}, {}, {})", base, python_tuple(shape),
                     python_tuple(view.strides), view.storage_offset);
}

std::string python_view(const Operand& operand, const std::string& base) {
  const Strided target = strided(operand.shape, operand.layout);
  const View view = has_sliding(operand.layout) ? sliding_chain(operand, base, target)
                                                : plain_chain(operand, base, target);
  if (view.sizes == operand.shape && view.strides == target.strides &&
      view.offset == target.storage_offset) {
    return view.code;
  }
  return python_as_strided(operand.shape, target, base);
}

}  // namespace indexfuzz
