// Type promotion against PyTorch's own, for every pair of dtypes and weights.

#include "ops/numbers/promotion.h"

#include <ATen/ops/result_type.h>
#include <ATen/ops/zeros.h>
#include <c10/core/ScalarType.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "run/call/scalar_type.h"

namespace indexfuzz {
namespace {

constexpr Dtype kNumbers[] = {Dtype::kBool, Dtype::kInt64, Dtype::kDouble, Dtype::kComplexDouble};

/// What PyTorch says, or nothing where it refuses.
template <typename Call>
std::optional<Dtype> ask(Call&& call) {
  try {
    return dtype_of(call());
  } catch (const c10::Error&) {
    return std::nullopt;
  }
}

std::string text(std::optional<Dtype> dtype) {
  return dtype ? std::string(info(*dtype).name) : "none";
}

template <typename F>
void for_each_pair(F&& f) {
  for (int a = 0; a < kDtypeCount; ++a) {
    for (int b = 0; b < kDtypeCount; ++b) f(static_cast<Dtype>(a), static_cast<Dtype>(b));
  }
}

c10::Scalar one(Dtype dtype) {
  switch (info(dtype).family) {
    case DtypeFamily::kBool: return true;
    case DtypeFamily::kInteger: return 1;
    case DtypeFamily::kFloating: return 1.0;
    case DtypeFamily::kComplex: return c10::complex<double>(1.0);
  }
  return {};
}

at::Tensor tensor(Dtype dtype, Weight weight) {
  return at::zeros(weight == Weight::kZeroDim ? at::IntArrayRef() : at::IntArrayRef({1}),
                   at::TensorOptions(scalar_type(dtype)));
}

/// bfloat16 over a lighter complex dtype, which we leave out since releases differ.
bool differs_by_release(Weighed a, Weighed b) {
  const auto over = [](Weighed heavy, Weighed light) {
    return heavy.dtype == Dtype::kBFloat16 && heavy.weight > light.weight &&
           info(light.dtype).family == DtypeFamily::kComplex;
  };
  return over(a, b) || over(b, a);
}

TEST(TorchPromotion, OfEveryPair) {
  for_each_pair([](Dtype a, Dtype b) {
    const auto theirs = ask([&] { return c10::promoteTypes(scalar_type(a), scalar_type(b)); });
    EXPECT_EQ(text(promote(a, b)), text(theirs)) << info(a).name << " and " << info(b).name;
  });
}

TEST(TorchPromotion, OfEveryPairOfTensors) {
  for (const Weight wa : {Weight::kZeroDim, Weight::kDimensioned}) {
    for (const Weight wb : {Weight::kZeroDim, Weight::kDimensioned}) {
      for_each_pair([&](Dtype a, Dtype b) {
        if (differs_by_release({a, wa}, {b, wb})) return;
        const auto theirs = ask([&] { return at::result_type(tensor(a, wa), tensor(b, wb)); });
        EXPECT_EQ(text(result_type({a, wa}, {b, wb})), text(theirs))
            << info(a).name << " and " << info(b).name << " of weights " << static_cast<int>(wa)
            << " and " << static_cast<int>(wb);
      });
    }
  }
}

TEST(TorchPromotion, OfEveryTensorAndNumber) {
  for (const Weight weight : {Weight::kZeroDim, Weight::kDimensioned}) {
    for (int a = 0; a < kDtypeCount; ++a) {
      for (const Dtype number : kNumbers) {
        const auto dtype = static_cast<Dtype>(a);
        if (differs_by_release({dtype, weight}, {number, Weight::kNumber})) continue;
        const auto theirs =
            ask([&] { return at::result_type(tensor(dtype, weight), one(number)); });
        EXPECT_EQ(text(result_type({dtype, weight}, {number, Weight::kNumber})), text(theirs))
            << info(dtype).name << " and " << info(number).name;
        EXPECT_EQ(text(result_type({number, Weight::kNumber}, {dtype, weight})), text(theirs))
            << info(number).name << " and " << info(dtype).name;
      }
    }
  }
}

TEST(TorchPromotion, OfEveryPairOfNumbers) {
  for (const Dtype a : kNumbers) {
    for (const Dtype b : kNumbers) {
      const auto theirs = ask([&] { return at::result_type(one(a), one(b)); });
      EXPECT_EQ(text(result_type({a, Weight::kNumber}, {b, Weight::kNumber})), text(theirs))
          << info(a).name << " and " << info(b).name;
    }
  }
}

}  // namespace
}  // namespace indexfuzz
