#pragma once
// Reads a contract from TOML:
//   outside = "skip"               # or "must-refuse": what the kernel does with other cases
//   dim = 0                        # the value of an argument that is no tensor, or several
//   block = [128, 256]             # values to try for an argument that ATen does not have
//   workspace = { zeros = [1024], dtype = "uint8" }  # likewise, a tensor for each call
//   [self]                         # what the kernel takes as a tensor argument
//   dtypes = ["float16", "float32"]
//   rank = [1, 3]                  # a number, [least, most] or { least, most, multiple_of };
//   last_size = { multiple_of = 4 }  # likewise size, of every dimension, and elements, in all
//   strides = "contiguous"         # or "dense", "rows" (the last dimension's is 1), "any"
//   expanded = false               # no stride 0; overlapping = false: no elements that overlap
//   alignment = 16                 # of the first element, in bytes
//   [index]
//   negative = false               # no negative indices
//   duplicates = false             # no position twice

#include <span>
#include <string>
#include <string_view>

#include "case/contract.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

struct ParsedContract {
  Contract contract;
  std::string error;  ///< empty, or one sentence that begins with the file's name and the line
};

/// `file`: for the error. `under_test`: the operators whose arguments the contract may name; an
/// argument that none of them has counts as one that the kernel adds.
ParsedContract parse_contract(std::string_view text, std::string_view file,
                              std::span<const OperatorInfo* const> under_test);

}  // namespace indexfuzz
