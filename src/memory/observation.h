#pragma once
// What came back from one call, in plain values: `run/` writes it, `judge/` reads it.

#include <cstddef>
#include <cstdint>
#include <string>

#include "case/dims.h"
#include "case/dtype.h"

namespace indexfuzz {

enum class Outcome : std::uint8_t {
  kReturned,
  kRefused,      ///< an ordinary error (std::exception)
  kAsserted,     ///< "INTERNAL ASSERT FAILED"
  kUnsupported,  ///< "not implemented for" this dtype
  kForeign,      ///< threw something that is not a std::exception
  kOutOfMemory,  ///< threw std::bad_alloc
};

/// A tensor that came back. `data` addresses its first element.
struct ReturnedTensor {
  bool defined = false;
  bool on_device = true;    ///< a strided tensor on the operands' device
  bool dtype_known = true;  ///< false: a dtype that no case has
  Dtype dtype = Dtype::kFloat;
  Dims shape;  ///< truncated to kMaxDims; `rank` has the true rank
  Dims strides;
  int rank = 0;
  const std::byte* data = nullptr;
  const std::byte* storage = nullptr;
  std::int64_t storage_bytes = 0;
  bool requires_grad = false;  ///< no operand does
  bool is_inference = false;   ///< made in inference mode, outside which it must not be written
  int same_as_operand = -1;    ///< the operand whose tensor object was returned, or -1
};

struct Observation {
  Outcome outcome = Outcome::kReturned;
  std::string message;     ///< of a refusal; first line, no backtrace
  int result_count = 0;    ///< how many results came back
  ReturnedTensor result;   ///< the first of them
  ReturnedTensor written;  ///< the written operand (in-place self, out) as it stands after the call
  /// The operand whose tensor has other sizes, strides, memory or flags than before the call, or
  /// -1: an input, or self of an in-place form that did not return.
  int altered_input = -1;
  /// The result shares memory with the result of an earlier call, which the caller may still hold.
  bool shares_earlier_result = false;
  /// Overwritten bytes next to an allocation of the kernel or beside far slices, and where: "4
  /// bytes overwritten past …".
  std::int64_t canary_bytes = 0;
  std::string canary_note;
};

}  // namespace indexfuzz
