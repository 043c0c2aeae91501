#include "nonzero.h"

#include "selected.cuh"

namespace planted_cuda {
namespace {

template <class Element>
__device__ bool differs_from_zero(const char* from) {
  return *reinterpret_cast<const Element*>(from) != Element(0);
}

template <class Element>
__device__ bool either_differs(const char* from) {
  return differs_from_zero<Element>(from) || differs_from_zero<Element>(from + sizeof(Element));
}

struct IsNotZero {
  View view;
  c10::ScalarType dtype;
  bool truncated;

  __device__ bool operator()(int64_t number) const {
    const char* from = element_of(view, number);
    switch (dtype) {
      case c10::kBool:
      case c10::kByte:
      case c10::kChar: return *from != 0;
      case c10::kShort: return differs_from_zero<int16_t>(from);
      case c10::kInt: return differs_from_zero<int32_t>(from);
      case c10::kLong: return differs_from_zero<int64_t>(from);
      case c10::kHalf:
      case c10::kBFloat16:
        // A sign alone is -0.0.
        return (*reinterpret_cast<const uint16_t*>(from) & 0x7fff) != 0;
      case c10::kFloat:
        // The defect: numbers between -1 and 1 become 0.
        if (truncated) return static_cast<int>(*reinterpret_cast<const float*>(from)) != 0;
        return differs_from_zero<float>(from);
      case c10::kDouble: return differs_from_zero<double>(from);
      case c10::kComplexFloat: return either_differs<float>(from);
      case c10::kComplexDouble: return either_differs<double>(from);
      default: return false;
    }
  }
};

struct WriteRow {
  View from;
  int64_t* to;
  __device__ void operator()(int64_t number, int64_t rank) const {
    const Position position = position_of(from, number);
    for (int d = 0; d < from.rank; ++d) to[rank * from.rank + d] = position.at[d];
  }
};

}  // namespace

void launch_count(Nonzero make, const NonzeroCall& call, cudaStream_t stream) {
  const IsNotZero selects{call.from, call.dtype, make == Nonzero::kTruncated};
  launch_begins(count_of(call.from), selects, call.begins, true, stream);
}

void launch_nonzero(Nonzero make, const NonzeroCall& call, int64_t* to, cudaStream_t stream) {
  const IsNotZero selects{call.from, call.dtype, make == Nonzero::kTruncated};
  launch_each_selected(count_of(call.from), selects, call.begins, WriteRow{call.from, to}, stream);
}

}  // namespace planted_cuda
