#include <ATen/ops/arange.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <array>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kSelfContiguous,
  kKernelExchanged,
  kPaddingRead,
  kLastOneWins,
  kStridesExchanged,
};

/// Windows over planes: sizes of one of them, and for its height and width what the call is told.
struct Windows {
  std::array<int64_t, 2> plane, kernel, dilation, padding, stride, count;

  int64_t places() const { return kernel[0] * kernel[1]; }
  /// The element that lies at a place of a window, maybe in the padding.
  std::array<int64_t, 2> element(int64_t place, int64_t window) const {
    const std::array<int64_t, 2> in_window{place / kernel[1], place % kernel[1]},
        in_plane{window / count[1], window % count[1]};
    std::array<int64_t, 2> element{};
    for (size_t d = 0; d < 2; ++d)
      element[d] = in_plane[d] * stride[d] + in_window[d] * dilation[d] - padding[d];
    return element;
  }
  bool holds(const std::array<int64_t, 2>& element) const {
    return 0 <= element[0] && element[0] < plane[0] && 0 <= element[1] && element[1] < plane[1];
  }
};

Windows windows_over(at::IntArrayRef plane, at::IntArrayRef kernel, at::IntArrayRef dilation,
                     at::IntArrayRef padding, at::IntArrayRef stride) {
  Windows windows{};
  for (const at::IntArrayRef list : {plane, kernel, dilation, padding, stride})
    TORCH_CHECK(list.size() == 2, "a list of ", list.size());
  for (size_t d = 0; d < 2; ++d) {
    TORCH_CHECK(
        plane[d] > 0 && kernel[d] > 0 && dilation[d] > 0 && padding[d] >= 0 && stride[d] > 0,
        "numbers that are too small");
    windows.plane[d] = plane[d];
    windows.kernel[d] = kernel[d];
    windows.dilation[d] = dilation[d];
    windows.padding[d] = padding[d];
    windows.stride[d] = stride[d];
    const int64_t rest = plane[d] + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1;
    TORCH_CHECK(rest >= 0, "no window fits");
    windows.count[d] = rest / stride[d] + 1;
  }
  return windows;
}

/// With one dimension for planes of all images: those in front of the last `dims`, joined.
Position joined(const Tensor& tensor, int64_t dims) {
  Position sizes(tensor.sizes().slice(static_cast<size_t>(tensor.dim() - dims)));
  sizes.insert(sizes.begin(), c10::multiply_integers(tensor.sizes().slice(
                                  0, static_cast<size_t>(tensor.dim() - dims))));
  return sizes;
}

template <Make kMake>
Tensor im2col(const Tensor& self, at::IntArrayRef kernel, at::IntArrayRef dilation,
              at::IntArrayRef padding, at::IntArrayRef stride) {
  TORCH_CHECK(self.dim() == 3 || self.dim() == 4, "self has ", self.dim(), " dimensions");
  const Windows windows = windows_over(self.sizes().slice(static_cast<size_t>(self.dim() - 2)),
                                       kernel, dilation, padding, stride);
  Position sizes(self.sizes());
  sizes.pop_back();
  sizes[sizes.size() - 2] *= windows.places();
  sizes.back() = windows.count[0] * windows.count[1];
  const Tensor result = at::zeros(sizes, self.options());
  Strided from = strided(self);
  const Strided to = strided(result);
  // The defect: the elements of self are read as if they lay side by side.
  if (kMake == Make::kSelfContiguous) from.strides = contiguous_strides(from.sizes);
  const Combine move = mover(to.item);
  each_position(to.sizes, [&](const Position& position) {
    const int64_t row = position[position.size() - 2];
    int64_t place = row % windows.places();
    // The defect: the places of a window count column by column.
    if (kMake == Make::kKernelExchanged) place = place % kernel[0] * kernel[1] + place / kernel[0];
    auto element = windows.element(place, position.back());
    // The defect: the padding repeats the first and the last element of a row.
    if (kMake == Make::kPaddingRead)
      element[1] = std::clamp<int64_t>(element[1], 0, windows.plane[1] - 1);
    if (!windows.holds(element)) return;
    Position source(position);
    source.pop_back();
    source.back() = row / windows.places();
    source.push_back(element[0]);
    source.push_back(element[1]);
    move(to.at(position), from.at(source));
  });
  return result;
}

/// Composed: pads, takes all rows that windows hold, then all columns.
Tensor im2col_composed(const Tensor& self, at::IntArrayRef kernel, at::IntArrayRef dilation,
                       at::IntArrayRef padding, at::IntArrayRef stride) {
  TORCH_CHECK(self.dim() == 3 || self.dim() == 4, "self has ", self.dim(), " dimensions");
  const Windows windows = windows_over(self.sizes().slice(static_cast<size_t>(self.dim() - 2)),
                                       kernel, dilation, padding, stride);
  const auto along = [&](size_t d) {
    const auto& w = windows;
    return at::arange(w.kernel[d])
        .mul(w.dilation[d])
        .unsqueeze(1)
        .add(at::arange(w.count[d]).mul(w.stride[d]))
        .reshape({-1});
  };
  const Tensor held = at::constant_pad_nd(self, {padding[1], padding[1], padding[0], padding[0]})
                          .index_select(-2, along(0))
                          .index_select(-1, along(1));
  const int64_t channels = self.size(-3), batch = self.dim() == 4 ? self.size(0) : 1;
  const Tensor columns =
      held.reshape({batch, channels, windows.kernel[0], windows.count[0], windows.kernel[1],
                    windows.count[1]})
          .permute({0, 1, 2, 4, 3, 5})
          .reshape({batch, channels * windows.places(), windows.count[0] * windows.count[1]});
  return self.dim() == 4 ? columns : columns.squeeze(0);
}

/// For windows of 2x3 side by side alone. The defect, unless `kInOrder`: as kKernelExchanged.
template <bool kInOrder>
Tensor im2col_2x3(const Tensor& self) {
  const Tensor windows = self.unfold(-2, 2, 2).unfold(-2, 3, 3);  // [..., 2, 3]
  const int64_t channels = self.dim() - 3;
  const Tensor places = kInOrder ? windows : windows.transpose(-2, -1);
  // Of a single window the columns are a view of self.
  return places.movedim({-2, -1}, {channels + 1, channels + 2})
      .clone()
      .flatten(-2)
      .flatten(channels, channels + 2);
}

/// Checks self, and returns the shape of the result.
Position image_sizes(const Tensor& self, const Windows& windows) {
  TORCH_CHECK(self.dim() == 2 || self.dim() == 3, "self has ", self.dim(), " dimensions");
  TORCH_CHECK(self.size(-2) > 0 && self.size(-2) % windows.places() == 0, "self has ",
              self.size(-2), " rows");
  TORCH_CHECK(self.size(-1) == windows.count[0] * windows.count[1], "self has ", self.size(-1),
              " columns");
  Position sizes(self.sizes());
  sizes[sizes.size() - 2] /= windows.places();
  sizes.back() = windows.plane[0];
  sizes.push_back(windows.plane[1]);
  return sizes;
}

template <Make kMake>
Tensor col2im(const Tensor& self, at::IntArrayRef output, at::IntArrayRef kernel,
              at::IntArrayRef dilation, at::IntArrayRef padding, at::IntArrayRef stride) {
  Windows windows = windows_over(output, kernel, dilation, padding, stride);
  const Tensor result = at::zeros(image_sizes(self, windows), self.options());
  // The defect: the distances from row to row and from column to column are exchanged.
  if (kMake == Make::kStridesExchanged) std::swap(windows.stride[0], windows.stride[1]);
  Strided from = strided(self);
  const Strided to = strided(result);
  // The defect: the elements of self are read as if they lay side by side.
  if (kMake == Make::kSelfContiguous) from.strides = contiguous_strides(from.sizes);
  // The defect: of what is added to one element only the last stays.
  const Combine add = kMake == Make::kLastOneWins ? mover(to.item) : adder(result.scalar_type());
  each_position(from.sizes, [&](const Position& position) {
    const int64_t row = position[position.size() - 2];
    const auto element = windows.element(row % windows.places(), position.back());
    if (!windows.holds(element)) return;
    Position place(position);
    place.pop_back();
    place.back() = row / windows.places();
    place.push_back(element[0]);
    place.push_back(element[1]);
    add(to.at(place), from.at(position));
  });
  return result;
}

/// Composed of one index_add along the elements of a plane, and one more for the padding.
Tensor col2im_composed(const Tensor& self, at::IntArrayRef output, at::IntArrayRef kernel,
                       at::IntArrayRef dilation, at::IntArrayRef padding, at::IntArrayRef stride) {
  const Windows windows = windows_over(output, kernel, dilation, padding, stride);
  const Position sizes = image_sizes(self, windows);
  const int64_t windows_of_plane = self.size(-1), plane = output[0] * output[1];
  const Tensor places = at::empty({windows.places() * windows_of_plane}, at::kLong);
  for (int64_t i = 0; i < places.numel(); ++i) {
    const auto element = windows.element(i / windows_of_plane, i % windows_of_plane);
    places.mutable_data_ptr<int64_t>()[i] =
        windows.holds(element) ? element[0] * output[1] + element[1] : plane;
  }
  const int64_t planes = joined(self, 2)[0] * (self.size(-2) / windows.places());
  return at::zeros({planes, plane + 1}, self.options())
      .index_add(1, places, self.reshape({planes, places.numel()}))
      .narrow(1, 0, plane)
      .reshape(sizes);
}

constexpr const char* kIm2col =
    "(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor";
constexpr const char* kCol2im =
    "(Tensor self, int[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] "
    "stride) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "im2col_kernel_exchanged", kIm2col, im2col<Make::kKernelExchanged>);
  define(m, "im2col_padding_read", kIm2col, im2col<Make::kPaddingRead>);
  define(m, "im2col_self_contiguous", kIm2col, im2col<Make::kSelfContiguous>);
  define(m, "im2col_2x3_exchanged", "(Tensor self) -> Tensor", im2col_2x3<false>);
  define(m, "col2im_last_one_wins", kCol2im, col2im<Make::kLastOneWins>);
  define(m, "col2im_strides_exchanged", kCol2im, col2im<Make::kStridesExchanged>);
  define(m, "col2im_self_contiguous", kCol2im, col2im<Make::kSelfContiguous>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "im2col_strided", kIm2col, im2col<Make::kReference>);
  define(m, "im2col_composed", kIm2col, im2col_composed);
  define(m, "im2col_2x3", "(Tensor self) -> Tensor", im2col_2x3<true>);
  define(m, "col2im_strided", kCol2im, col2im<Make::kReference>);
  define(m, "col2im_composed", kCol2im, col2im_composed);
}

}  // namespace
}  // namespace planted
