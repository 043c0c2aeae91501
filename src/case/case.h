#pragma once
// A case: everything that decides the outcome of one call, as a plain value.

#include <array>
#include <cstdint>
#include <string_view>

#include "case/dims.h"
#include "case/dtype.h"
#include "case/environment.h"
#include "case/fill.h"
#include "case/gpu_settings.h"
#include "case/layout.h"

namespace indexfuzz {

/// Which end of the view's extent lies against an inaccessible page.
enum class Guard : std::uint8_t { kLeft = 0, kRight = 1 };

/// Where an operand's slices lie (case/far_slices.h): as the layout says, a power of two of
/// elements apart, or as the last ones of a tensor that has so many elements in front of them
/// (ops/fills/table.h). 2^30 is a stride that fits into 31 bits while the offset of the third slice
/// does not.
enum class SlicePlacement : std::uint8_t {
  kByLayout = 0,
  kApartBy2To31 = 1,
  kApartBy2To30 = 2,
  kLastBehind2To31 = 3,
  kLastBehind2To32 = 4
};
/// In the text form, by number.
inline constexpr std::string_view kNamesOfSlicePlacements[] = {"near", "far", "half_far", "last",
                                                               "far_last"};
constexpr bool are_apart(SlicePlacement slices) {
  return slices == SlicePlacement::kApartBy2To31 || slices == SlicePlacement::kApartBy2To30;
}
constexpr bool are_last(SlicePlacement slices) {
  return slices == SlicePlacement::kLastBehind2To31 || slices == SlicePlacement::kLastBehind2To32;
}

/// A tensor, or a number passed by value. In a legal case the layout has the shape's rank.
struct Operand {
  Dtype dtype = Dtype::kFloat;
  bool present = true;  ///< false: a `None` among index tensors
  Guard guard = Guard::kLeft;
  SlicePlacement slices = SlicePlacement::kByLayout;
  bool on_host = false;  ///< stays in host memory when the others are on a GPU
  /// `out` only: its shape differs from the result's, so that the call resizes it.
  bool own_shape = false;
  Dims shape;
  Layout layout;
  Fill fill;

  // Set by an illegal rule on its copy of the case only; never drawn, encoded or printed.
  std::int8_t shares_memory_with = -1;  ///< the operand in whose storage this one lies, or -1
  bool poked = false;                   ///< one element holds `poke_value` instead of its fill
  std::int64_t poke_position = 0;       ///< logical row-major index
  std::int64_t poke_value = 0;

  bool operator==(const Operand&) const = default;
};

/// Whether an index operand is a mask rather than positions.
inline bool is_mask(const Operand& operand) {
  return contains(kMaskDtypes, operand.dtype);
}

/// How a call returns its result: in a new tensor, in self, or in the `out` that it is given.
enum class Variant : std::uint8_t { kFunctional = 0, kInPlace = 1, kOut = 2 };
std::string_view name(Variant variant);  ///< "functional", "in-place", "out"

inline constexpr int kMaxOperands = 12;
inline constexpr int kMaxAttributes = 6;

/// A list of integers, made of attributes, to which an illegal rule gives another length.
struct MisfitList {
  std::int8_t first = -1;  ///< the attribute with which the list begins; -1: all lists fit
  bool is_empty = false;   ///< it is passed without integers; otherwise with its last one twice
  bool operator==(const MisfitList&) const = default;
};

/// One call. Whoever decodes or changes a case calls repair(), which makes it legal.
struct Case {
  std::uint16_t op = 0;       ///< OperatorInfo::number
  std::uint8_t overload = 0;  ///< index into OperatorInfo::overloads
  Variant variant = Variant::kFunctional;
  std::uint8_t breaks = 0;  ///< 0, or IllegalRule::number of the one rule that this case breaks
  std::array<std::int64_t, kMaxAttributes> attributes{};  ///< parallel to Overload::attributes
  Environment environment;
  GpuSettings gpu;
  /// The overload's operands in its order (those of a list at the end), then `out` if variant ==
  /// kOut.
  boost::container::static_vector<Operand, kMaxOperands> operands;
  /// Set by an illegal rule on its copy of the case only; never drawn, encoded or printed.
  MisfitList misfit_list;
  bool operator==(const Case&) const = default;
};
using IntegerList = boost::container::static_vector<std::int64_t, kMaxAttributes + 2>;
/// Neighbouring attributes that a call passes as one list of integers.
struct ListedAttributes {
  std::size_t first, count;
  std::size_t times = 1;  ///< how often the list has the last one
};
/// What a call is passed for the list.
IntegerList passed_list(const Case& c, const ListedAttributes& listed);

inline Operand& operand_at(Case& c, int k) {
  return c.operands[static_cast<std::size_t>(k)];
}
inline const Operand& operand_at(const Case& c, int k) {
  return c.operands[static_cast<std::size_t>(k)];
}

/// The number of operands without `out`.
inline int input_count(const Case& c) {
  return static_cast<int>(c.operands.size()) - (c.variant == Variant::kOut ? 1 : 0);
}
/// The operand that the call writes: self for the in-place variant, `out` for the out variant, -1
/// for the functional one.
inline int written_operand(const Case& c) {
  switch (c.variant) {
    case Variant::kFunctional: return -1;
    case Variant::kInPlace: return 0;
    case Variant::kOut: return static_cast<int>(c.operands.size()) - 1;
  }
  return -1;
}
/// The operand whose memory holds written_operand(): itself, or the one that it shares memory with;
/// -1 for the functional variant.
inline int written_memory(const Case& c) {
  const int written = written_operand(c);
  if (written < 0) return -1;
  const int host = operand_at(c, written).shares_memory_with;
  return host >= 0 ? host : written;
}
std::int64_t total_elements(const Case& c);  ///< over all present operands

/// Removes a dimension from the shape, layout and fill; does nothing if the operand lacks it.
void drop_dimension(Operand& operand, std::size_t dimension);
/// Inserts a dimension of this size, without layout traits, before `dimension` (at most the rank).
/// In memory it lies just outside the one that it displaces, or innermost if it displaces none.
/// Does nothing if the rank is kMaxDims.
void insert_dimension(Operand& operand, std::size_t dimension, std::int64_t size);

}  // namespace indexfuzz
