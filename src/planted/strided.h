#pragma once

#include <ATen/MemoryOverlap.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/empty.h>
#include <c10/core/WrapDimMinimal.h>
#include <torch/library.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace planted {

using at::Tensor;
using Position = at::DimVector;

/// A tensor as a kernel sees it: the address of its first element, and sizes and strides in
/// elements. The planted kernels go wrong by changing one of these fields and nothing else.
struct Strided {
  char* data;
  Position sizes;
  Position strides;
  int64_t item;  ///< bytes of an element

  char* at(const Position& position) const {
    int64_t offset = 0;
    for (size_t d = 0; d < position.size(); ++d) offset += position[d] * strides[d];
    return data + offset * item;
  }

  /// As at(), with sizes of 1 broadcast and the last dimension aligned with `position[end - 1]`.
  char* broadcast_at(const Position& position, size_t end) const {
    int64_t offset = 0;
    for (size_t d = 0; d < sizes.size(); ++d)
      if (sizes[d] != 1) offset += position[end - sizes.size() + d] * strides[d];
    return data + offset * item;
  }
};

inline Strided strided(const Tensor& tensor) {
  return {static_cast<char*>(const_cast<void*>(tensor.const_data_ptr())), Position(tensor.sizes()),
          Position(tensor.strides()), tensor.element_size()};
}

/// A 0-dim tensor counts as one dimension of size 1, as in ATen's index_select, gather and
/// scatter_add.
inline Strided strided_1d(const Tensor& tensor) {
  Strided view = strided(tensor);
  if (view.sizes.empty()) {
    view.sizes.push_back(1);
    view.strides.push_back(1);
  }
  return view;
}

inline Position contiguous_strides(const Position& sizes) {
  Position strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
  return strides;
}

/// Calls visit(position) for every position of `sizes`, in row-major order; once for rank 0.
template <class Visit>
void each_position(const Position& sizes, Visit&& visit) {
  for (const int64_t size : sizes)
    if (size == 0) return;
  Position position = sizes;
  std::fill(position.begin(), position.end(), 0);
  for (;;) {
    visit(position);
    size_t d = sizes.size();
    while (d > 0 && ++position[d - 1] == sizes[d - 1]) position[--d] = 0;
    if (d == 0) return;
  }
}

/// Changes element `to` by element `from` of the same dtype.
using Combine = void (*)(char* to, const char* from);

template <class Element, class Change>
void change_element(char* to, const char* from, Change change) {
  Element value, other;
  std::memcpy(&value, to, sizeof(Element));
  std::memcpy(&other, from, sizeof(Element));
  value = change(value, other);
  std::memcpy(to, &value, sizeof(Element));
}

template <size_t kBytes>
void move_bytes(char* to, const char* from) {
  std::memcpy(to, from, kBytes);
}

inline Combine mover(int64_t item) {
  switch (item) {
    case 1: return move_bytes<1>;
    case 2: return move_bytes<2>;
    case 4: return move_bytes<4>;
    case 8: return move_bytes<8>;
    case 16: return move_bytes<16>;
  }
  TORCH_CHECK(false, "element of ", item, " bytes");
}

/// Integers are added as unsigned ones: signed overflow is undefined in C++, but wraps in ATen.
template <class Element>
Element sum(Element value, Element other) {
  if constexpr (std::is_same_v<Element, bool>) {
    return value || other;
  } else if constexpr (std::is_integral_v<Element>) {
    return static_cast<Element>(static_cast<uint64_t>(value) + static_cast<uint64_t>(other));
  } else {
    return value + other;
  }
}

template <class Element>
Element product(Element value, Element other) {
  if constexpr (std::is_same_v<Element, bool>) {
    return value && other;
  } else if constexpr (std::is_integral_v<Element>) {
    return static_cast<Element>(static_cast<uint64_t>(value) * static_cast<uint64_t>(other));
  } else {
    return value * other;
  }
}

template <class Element>
void add_element(char* to, const char* from) {
  change_element<Element>(to, from, sum<Element>);
}

/// Adds in the dtypes in which ATen's CPU kernels accumulate; throws for others.
inline Combine adder(at::ScalarType dtype) {
  switch (dtype) {
    case at::kBool: return add_element<bool>;
    case at::kByte: return add_element<uint8_t>;
    case at::kChar: return add_element<int8_t>;
    case at::kShort: return add_element<int16_t>;
    case at::kInt: return add_element<int32_t>;
    case at::kLong: return add_element<int64_t>;
    case at::kHalf: return add_element<at::Half>;
    case at::kBFloat16: return add_element<at::BFloat16>;
    case at::kFloat: return add_element<float>;
    case at::kDouble: return add_element<double>;
    case at::kComplexFloat: return add_element<c10::complex<float>>;
    case at::kComplexDouble: return add_element<c10::complex<double>>;
    default:
      TORCH_CHECK_NOT_IMPLEMENTED(false, "accumulation is not implemented for '", dtype, "'");
  }
}

/// An index of 4 bytes is an int32, one of 8 bytes an int64.
inline int64_t read_index(const char* from, int64_t item) {
  if (item == 4) {
    int32_t narrow;
    std::memcpy(&narrow, from, sizeof narrow);
    return narrow;
  }
  int64_t wide;
  std::memcpy(&wide, from, sizeof wide);
  return wide;
}

inline void check_index_dtype(const Tensor& index) {
  TORCH_CHECK(index.scalar_type() == at::kInt || index.scalar_type() == at::kLong,
              "expected int32 or int64 for the index, got ", index.scalar_type());
}

inline void copy_elements(const Strided& from, const Strided& to) {
  const Combine move = mover(to.item);
  each_position(to.sizes,
                [&](const Position& position) { move(to.at(position), from.at(position)); });
}

inline Tensor contiguous_copy(const Tensor& self) {
  Tensor copy = at::empty(self.sizes(), self.options());
  copy_elements(strided(self), strided(copy));
  return copy;
}

inline void check_written(const Tensor& written, const Tensor& index, const Tensor& source) {
  at::assert_no_internal_overlap(written);
  at::assert_no_overlap(written, index);
  at::assert_no_overlap(written, source);
}

/// Resizes `out` and copies the result into it. `result` must share no memory with it.
inline void fill_out(const Tensor& result, Tensor& out) {
  TORCH_CHECK(result.scalar_type() == out.scalar_type(), "the result is ", result.scalar_type(),
              ", out ", out.scalar_type());
  at::assert_no_internal_overlap(out);
  at::native::resize_output(out, result.sizes());
  copy_elements(strided(result), strided(out));
}

/// Registers one kernel for the CPU: `arguments` is the schema from its opening parenthesis on.
template <class Kernel>
void define(torch::Library& library, const char* name, const char* arguments, Kernel* kernel) {
  library.def((std::string(name) + arguments).c_str(),
              torch::dispatch(c10::DispatchKey::CPU, kernel));
}

}  // namespace planted
