#pragma once

namespace indexfuzz {

/// What the judge must know of the implementation.
struct Standing {
  bool is_custom = false;    ///< may narrow itself by refusing legal cases
  bool strict = false;       ///< such a refusal is a finding all the same
  bool is_gradient = false;  ///< computes the gradient of a call
  bool is_meta = false;      ///< computes no elements: any are admissible
};

}  // namespace indexfuzz
