#include "scalar.h"

#include <ATen/Dispatch_v2.h>

#include <cstring>

#include "run.h"
#include "transfer.h"

namespace kernels {
namespace {

/// Calls run(element) with some element of the dtype.
template <class Run>
void with_dtype(at::ScalarType dtype, const Run& run) {
  AT_DISPATCH_V2(dtype, "indexfuzz::element", AT_WRAP([&] { run(scalar_t{}); }),
                 AT_EXPAND(AT_ALL_TYPES_AND_COMPLEX), AT_EXPAND(AT_BAREBONES_UNSIGNED_TYPES),
                 at::kComplexHalf, at::kHalf, at::kBFloat16, at::kBool, at::kFloat8_e4m3fn,
                 at::kFloat8_e5m2);
}

}  // namespace

ElementBytes element_of(const at::Scalar& number, at::ScalarType dtype) {
  ElementBytes bytes{};
  with_dtype(dtype, [&](auto kind) {
    const auto element = number.to<decltype(kind)>();
    std::memcpy(bytes.data(), &element, sizeof element);
  });
  return bytes;
}

at::Scalar number_in(const at::Tensor& tensor) {
  ElementBytes bytes{};
  const auto size = static_cast<size_t>(tensor.element_size());
  if (tensor.is_cpu()) {
    std::memcpy(bytes.data(), tensor.const_data_ptr(), size);
  } else if constexpr (kCuda) {
    check_launch(
        copy_to_host(bytes.data(), tensor.const_data_ptr(), size, current_stream(tensor.device())));
  }
  at::Scalar number;
  with_dtype(tensor.scalar_type(), [&](auto element) {
    std::memcpy(&element, bytes.data(), sizeof element);
    number = at::Scalar(element);
  });
  return number;
}

Number number_kind(at::ScalarType dtype) {
  switch (dtype) {
    case at::kBool: return Number::kBool;
    case at::kByte:
    case at::kChar: return Number::kInt8;
    case at::kShort:
    case at::kUInt16: return Number::kInt16;
    case at::kInt:
    case at::kUInt32: return Number::kInt32;
    case at::kLong:
    case at::kUInt64: return Number::kInt64;
    case at::kHalf: return Number::kHalf;
    case at::kBFloat16: return Number::kBFloat16;
    case at::kFloat: return Number::kFloat;
    case at::kDouble: return Number::kDouble;
    case at::kFloat8_e4m3fn: return Number::kFloat8E4M3FN;
    case at::kFloat8_e5m2: return Number::kFloat8E5M2;
    case at::kComplexHalf: return Number::kComplexHalf;
    case at::kComplexFloat: return Number::kComplexFloat;
    case at::kComplexDouble: return Number::kComplexDouble;
    default: TORCH_CHECK_NOT_IMPLEMENTED(false, "addition is not implemented for '", dtype, "'");
  }
}

}  // namespace kernels
