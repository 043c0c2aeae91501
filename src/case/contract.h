#pragma once
// A contract: how a custom kernel promises less than ATen. It narrows what the kernel is called
// with, never the judge.

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "case/dtype.h"

namespace indexfuzz {

/// The numbers from `least` to `most` that are multiples of `multiple_of`; at least one number.
struct Range {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t multiple_of = 1;  ///< 1 or more
  bool operator==(const Range&) const = default;
};
inline bool holds(const Range& range, std::int64_t number) {
  return number >= range.least && number <= range.most && number % range.multiple_of == 0;
}
/// A number of the range near to `number`, which must not be negative: preferably a smaller one,
/// but 0 for 0 alone.
inline std::int64_t nearest(const Range& range, std::int64_t number) {
  const std::int64_t clamped = number < range.least  ? range.least
                               : number > range.most ? range.most
                                                     : number;
  const std::int64_t below = clamped - clamped % range.multiple_of;
  const std::int64_t above = below + range.multiple_of;
  const bool empties = below == 0 && clamped > 0 && above <= range.most;
  return below < range.least || empties ? above : below;
}

/// Which strides a tensor may have.
enum class Strides : std::uint8_t {
  kAny,
  kRows,        ///< neighbours along the last dimension are neighbours in memory
  kDense,       ///< those of a contiguous tensor with its dimensions in any order
  kContiguous,  ///< those of a contiguous tensor
};

/// What a kernel takes as one of its tensor arguments or, for a list, as each tensor of it.
struct TensorTerms {
  std::string argument;  ///< its name in ATen's schema
  DtypeSet dtypes = kAllDtypes;
  Range rank;
  Range size;       ///< of every dimension
  Range last_size;  ///< of the last dimension
  Range elements;   ///< in all
  Strides strides = Strides::kAny;
  bool expanded = true;        ///< stride 0
  bool overlapping = true;     ///< elements that share memory, other than by stride 0
  std::int64_t alignment = 1;  ///< of the first element's address, in bytes; at most kMostAlignment
  bool negative = true;        ///< negative indices
  bool duplicates = true;      ///< positions that occur twice in an index tensor
};
/// PyTorch's own allocators align to 64 bytes and more.
inline constexpr std::int64_t kMostAlignment = 64;

/// A tensor of zeros, such as a workspace: a new one for each call, where its operands are.
struct Zeros {
  Dtype dtype = Dtype::kUInt8;
  std::vector<std::int64_t> shape;
  bool operator==(const Zeros&) const = default;
};
using Integers = std::vector<std::int64_t>;
/// A number, a string, None, a list or, for an argument that ATen does not have, a tensor.
using ArgumentValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Integers, Zeros>;
/// As a person writes it in Python: None, True, 3, 0.5, 'sum', [3, 3], torch.zeros([8],
/// dtype=torch.uint8).
std::string python_text(const ArgumentValue& value);

/// For an argument that is no tensor: the values that the kernel takes. For one that ATen does not
/// have: the values to try.
struct ValueTerms {
  std::string argument;
  std::vector<ArgumentValue> values;  ///< one or more
};

/// Read from a file by parse_contract().
struct Contract {
  std::vector<TensorTerms> tensors;
  std::vector<ValueTerms> values;
  /// Whether the kernel must refuse what the contract leaves out; else it is not called with it.
  bool must_refuse = false;
};

}  // namespace indexfuzz
