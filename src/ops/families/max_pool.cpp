#include "ops/families/max_pool.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "ops/families/compared_numbers.h"
#include "ops/families/moves.h"
#include "ops/families/planes.h"
#include "ops/numbers/cast.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr DtypeSet kCompared = kFloats | kIntegralDtypes;

bool judges_indices(const Case& c) {
  return overload_of(c).judged == max_pool::kIndices;
}

/// A window: the number of its result, that of the first element of its plane in self, and which
/// elements of the plane it holds.
struct Window {
  std::int64_t number, plane;
  HeldElements depth, height, width;
};

/// Calls f(window) for each one, in row-major order.
template <typename F>
void for_each_window(const Case& c, F&& f) {
  const auto& [lengths, held] = windows_of_plane(c, shape_of_windows(c));
  const std::int64_t elements = numel(c.operands[pool::kSelf].shape),
                     plane = lengths[0] * lengths[1] * lengths[2];
  Window window{};
  for (window.plane = 0; window.plane < elements; window.plane += plane) {
    for (const HeldElements& depth : held[0]) {
      for (const HeldElements& height : held[1]) {
        for (const HeldElements& width : held[2]) {
          window.depth = depth;
          window.height = height;
          window.width = width;
          f(window);
          ++window.number;
        }
      }
    }
  }
}

/// Calls f(element of the plane) for each one that the window holds, in row-major order.
template <typename F>
void for_each_element(const Case& c, const Window& window, F&& f) {
  const Dims& self = c.operands[pool::kSelf].shape;
  const std::int64_t dilation = c.attributes[pool::kDilation], length = self.back(),
                     lines = self[self.size() - 2];
  for (std::int64_t i = 0; i < window.depth.count; ++i) {
    for (std::int64_t j = 0; j < window.height.count; ++j) {
      const std::int64_t line =
          (window.depth.first + i * dilation) * lines + window.height.first + j * dilation;
      const std::int64_t first = line * length + window.width.first;
      for (std::int64_t k = 0; k < window.width.count; ++k) f(first + k * dilation);
    }
  }
}

/// The element of the plane that ATen names: of equal ones the first, but of NaN the last; -1 if
/// the window holds none. `plane`: its numbers.
template <typename Number>
std::int64_t largest_of(const Case& c, const Window& window, const Number* plane) {
  std::int64_t largest = -1;
  for_each_element(c, window, [&](std::int64_t element) {
    if (largest < 0 || is_nan(plane[element]) || plane[element] > plane[largest]) largest = element;
  });
  return largest;
}

/// Calls f(window, element of the plane that is its largest).
template <typename F>
void for_each_largest(const OracleInput& input, F&& f) {
  with_numbers(input, pool::kSelf, [&](const auto* numbers) {
    for_each_window(input.c, [&](const Window& window) {
      f(window, largest_of(input.c, window, numbers + window.plane));
    });
  });
}

/// Whether windows lie in the padding alone.
bool has_empty_windows(const Case& c) {
  if (c.attributes[pool::kPadding] <= 0 || c.attributes[pool::kDilation] <= 1) return false;
  return std::ranges::any_of(windows_of_plane(c, shape_of_windows(c)).held, [](const auto& held) {
    return std::ranges::any_of(held, [](const HeldElements& window) { return window.count <= 0; });
  });
}

/// How often the oracle looks at an element.
std::int64_t looks(Case& c) {
  std::int64_t count = 1;
  for (const std::int64_t size : window_sizes(c)) count *= size;
  for (const std::int64_t size : shape_of_windows(c)) count *= std::max<std::int64_t>(size, 1);
  return count;
}

}  // namespace

void repair_max_pool(Case& c, const Limits& limits) {
  // Every element may be right for a window that holds none.
  constexpr std::int64_t kMostBesidePadding = 256;
  constexpr std::int64_t kFewLooks = 4096, kLooksPerElement = 8;
  Operand& self = c.operands[pool::kSelf];
  clamp_dtype(self.dtype, within(kCompared, limits));
  clamp_fill(self.fill, FillFamily::kValue);
  if (takes_ceil_mode(c)) clamp_bool(c.attributes[pool::kCeil]);
  give_self_planes(c, limits);
  const bool may_be_padding =
      is_floating_or_complex(self.dtype) && numel(self.shape) <= kMostBesidePadding;
  const StepOverSelf step_over = may_be_padding ? StepOverSelf::kPossible : StepOverSelf::kNever;
  settle_windows(c, limits, step_over);
  const std::int64_t most = std::max(kFewLooks, kLooksPerElement * numel(self.shape));
  while (looks(c) > most) {
    std::int64_t& largest = *std::ranges::max_element(window_sizes(c));
    if (largest == 1) break;
    largest /= 2;
    settle_windows(c, limits, step_over);
  }
}

ResultSpec largest_elements(const Case& c) {
  return {shape_of_windows(c), judges_indices(c) ? Dtype::kInt64 : c.operands[pool::kSelf].dtype};
}

void find_largest(const OracleInput& input, std::byte* destination) {
  if (judges_indices(input.c)) {
    for_each_largest(input, [&](const Window& window, std::int64_t largest) {
      const std::int64_t index = std::max<std::int64_t>(largest, 0);
      std::memcpy(destination + window.number * std::int64_t{sizeof index}, &index, sizeof index);
    });
    return;
  }
  const Dtype dtype = input.c.operands[pool::kSelf].dtype;
  std::byte padding[sizeof(double)]{};
  if (is_floating_or_complex(dtype)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double lowest = -kInfinity;
    convert(Dtype::kDouble, reinterpret_cast<const std::byte*>(&lowest), dtype, padding, 1);
  }
  move_elements(
      dtype, destination, input.operands[pool::kSelf].data, [&](auto* to, const auto* from) {
        for_each_largest(input, [&](const Window& window, std::int64_t largest) {
          to[window.number] =
              largest < 0 ? *elements(*to, std::as_const(padding)) : from[window.plane + largest];
        });
      });
}

void pass_largest(const OracleInput& input, ContributionSink sink, void* context) {
  const auto size = static_cast<std::int64_t>(item_size(input.c.operands[pool::kSelf].dtype));
  const std::int64_t plane = plane_size(input.c.operands[pool::kSelf].shape, pooled_dims(input.c));
  const std::int64_t* const places = judges_indices(input.c) ? counted_up_to(plane) : nullptr;
  const auto pass = [&](const Window& window, std::int64_t element) {
    const std::byte* const value =
        places != nullptr ? reinterpret_cast<const std::byte*>(places + element)
                          : input.operands[pool::kSelf].data + (window.plane + element) * size;
    sink(context, {window.number, value});
  };
  with_numbers(input, pool::kSelf, [&](const auto* numbers) {
    for_each_window(input.c, [&](const Window& window) {
      const auto* const all = numbers + window.plane;
      const std::int64_t largest = largest_of(input.c, window, all);
      if (largest < 0) {
        for (std::int64_t e = 0; places != nullptr && e < plane; ++e) pass(window, e);
        return;
      }
      for_each_element(input.c, window, [&](std::int64_t e) {
        if (all[e] == all[largest] || (is_nan(all[e]) && is_nan(all[largest]))) pass(window, e);
      });
    });
  });
}

bool names_element_for_padding(const Case& c) {
  return judges_indices(c) && has_empty_windows(c);
}

}  // namespace indexfuzz
