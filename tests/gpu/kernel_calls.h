#pragma once
// Calls of indexfuzz's own kernels, drawn at random: legal ones, on the CPU.

#include <string>
#include <vector>

#include "device_copy.h"

namespace indexfuzz {

using Stack = std::vector<c10::IValue>;
using IndexList = c10::List<std::optional<at::Tensor>>;

/// Of an operator in the namespace indexfuzz.
struct Call {
  std::string name, overload;
  Stack arguments;
  int written = -1;  ///< the argument that is written
};

/// Draws one call of an operator; `any_order`: where writes meet, the outcome may depend on it.
struct Operator {
  std::string name;
  Call (*draw)(Draws&, at::ScalarType, bool any_order);
};

/// One for each operator, and one more for index_put with distinct positions.
const std::vector<Operator>& drawn_operators();

/// Every dtype that elements are moved in.
extern const std::vector<at::ScalarType> kMoved;

}  // namespace indexfuzz
