#pragma once
// What a pooling that takes the largest element of each of several windows of every plane of self
// (of every volume, in three dimensions) shares with its gradient: which dimensions are those of a
// plane, and where windows at equal distances lie in it.
// https://pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html
// https://pytorch.org/docs/stable/generated/torch.nn.MaxPool3d.html

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/definition/operator.h"
#include "ops/families/pool_windows.h"

namespace indexfuzz {

namespace pool {
/// The operand whose windows are pooled.
inline constexpr int kSelf = 0;
/// Attributes of the pooling with windows at equal distances. They are the sizes of a window, the
/// strides from one to the next, and these; kCeil only if it is a kBool.
inline constexpr std::uint8_t kCeil = 3, kPadding = 4, kDilation = 5;
}  // namespace pool

/// The dimensions of a plane: one less than the operator's least rank.
int pooled_dims(const Case& c);
/// The dimensions of a batch of planes.
int rank_of_batch(const Case& c);

/// The sizes of a plane, from the outermost dimension on.
std::span<std::int64_t> plane_sizes(Operand& operand, int dims);
/// The sizes of a window, where they are attributes.
std::span<std::int64_t> window_sizes(Case& c);
/// The strides of windows at equal distances: one for each dimension of a plane, or one for all.
std::span<std::int64_t> window_strides(Case& c);

/// Whether the call has a ceil_mode, and whether that is True: windows may then end beyond the
/// padding, if they do not begin there.
bool takes_ceil_mode(const Case& c);
bool is_ceil_mode(const Case& c);

/// The windows at equal distances along dimension `d` of a plane.
PoolWindows windows_along(const Case& c, std::size_t d);
/// The least padding that is more than half of what the smallest window spans, which no pooling
/// takes.
std::int64_t excessive_padding(Case& c);
/// Self's shape with the number of windows at equal distances in place of each size of a plane.
Dims shape_of_windows(const Case& c);

/// The lengths of a plane and, for each window along each of them, the elements that it holds. A
/// plane is a volume of depth 1.
struct WindowsOfPlane {
  std::array<std::int64_t, 3> lengths;
  std::array<std::vector<HeldElements>, 3> held;
};
/// Those at equal distances; there are as many of them as the last dimensions of `shape` say. Valid
/// until the thread's next call.
const WindowsOfPlane& windows_of_plane(const Case& c, const Dims& shape);

/// Makes self planes; only the first of the dimensions of batch and channels may have size 0, and
/// only with a batch.
void give_self_planes(Case& c, const Limits& limits);

/// Whether windows that begin in the padding may step over self, so that they hold nothing.
enum class StepOverSelf : bool { kNever, kPossible };
/// Makes sizes, strides, padding and dilation of windows at equal distances legal, and their number
/// one within the limits. The padding is at most half of a window. A window fits in a padded plane.
void settle_windows(Case& c, const Limits& limits, StepOverSelf step_over);

}  // namespace indexfuzz
