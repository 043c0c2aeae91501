#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <optional>
#include <vector>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kNumbersContiguous,
  kWeightsContiguous,
  kCountsOf8Bits,
  kMinlengthAsLength,
  kSumsOf32Bits,
};

using Weights = std::optional<Tensor>;

template <class Integer>
int64_t read_as(const char* from) {
  Integer number;
  std::memcpy(&number, from, sizeof number);
  return number;
}

int64_t read_number(const char* from, at::ScalarType dtype) {
  switch (dtype) {
    case at::kByte: return read_as<uint8_t>(from);
    case at::kChar: return read_as<int8_t>(from);
    case at::kShort: return read_as<int16_t>(from);
    case at::kInt: return read_as<int32_t>(from);
    case at::kLong: return read_as<int64_t>(from);
    default: TORCH_CHECK(false, "numbers to count must be integers, got ", dtype);
  }
}

std::vector<int64_t> read_numbers(Make make, const Tensor& self) {
  // What lies in a gap would else be taken for a number of bins that fills the memory.
  constexpr int64_t kMost = 1 << 24;
  TORCH_CHECK(self.dim() == 1, "numbers to count must be one row, got ", self.dim(), " dimensions");
  TORCH_CHECK(at::isIntegralType(self.scalar_type(), false), "numbers to count must be integers");
  Strided view = strided(self);
  // The defect: the numbers are read as if they lay side by side.
  if (make == Make::kNumbersContiguous) view.strides = {1};
  std::vector<int64_t> numbers;
  each_position(view.sizes, [&](const Position& position) {
    numbers.push_back(read_number(view.at(position), self.scalar_type()));
    TORCH_CHECK(0 <= numbers.back() && numbers.back() < kMost, "cannot count ", numbers.back());
  });
  return numbers;
}

void check(const Tensor& self, const Weights& weights, int64_t minlength) {
  TORCH_CHECK(minlength >= 0, "minlength must not be negative, got ", minlength);
  TORCH_CHECK(!weights || weights->sizes() == self.sizes(), "there must be one weight per number");
}

int64_t bins_for(Make make, const std::vector<int64_t>& numbers, int64_t minlength) {
  // The defect: minlength is taken for the length.
  if (make == Make::kMinlengthAsLength && minlength > 0) return minlength;
  int64_t bins = minlength;
  for (const int64_t number : numbers) bins = std::max(bins, number + 1);
  return bins;
}

Tensor counted(Make make, const std::vector<int64_t>& numbers, int64_t bins) {
  const Tensor result = at::zeros({bins}, at::kLong);
  auto* const counts = result.mutable_data_ptr<int64_t>();
  for (const int64_t number : numbers) {
    if (number < bins) ++counts[number];
  }
  // The defect: counts are kept in 8 bits.
  if (make == Make::kCountsOf8Bits) {
    for (int64_t bin = 0; bin < bins; ++bin) counts[bin] &= 0xFF;
  }
  return result;
}

/// The weights one after the other, in float64.
Tensor dense_weights(Make make, const Tensor& weights) {
  const Tensor dense = at::empty(weights.sizes(), weights.options());
  Strided view = strided(weights);
  // The defect: the weights are read as if they lay side by side.
  if (make == Make::kWeightsContiguous) view.strides = {1};
  copy_elements(view, strided(dense));
  return dense.to(at::kDouble);
}

Tensor summed(Make make, const std::vector<int64_t>& numbers, const Tensor& weights, int64_t bins) {
  const Tensor dense = dense_weights(make, weights), result = at::zeros({bins}, at::kDouble);
  const auto* const terms = dense.const_data_ptr<double>();
  auto* const sums = result.mutable_data_ptr<double>();
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= bins) continue;
    double& sum = sums[numbers[i]];
    sum += terms[i];
    // The defect: sums of float64 are kept in float32.
    if (make == Make::kSumsOf32Bits) sum = static_cast<float>(sum);
  }
  return weights.scalar_type() == at::kFloat ? result.to(at::kFloat) : result;
}

template <Make kMake>
Tensor bincount(const Tensor& self, const Weights& weights, int64_t minlength) {
  check(self, weights, minlength);
  const std::vector<int64_t> numbers = read_numbers(kMake, self);
  const int64_t bins = bins_for(kMake, numbers, minlength);
  return weights ? summed(kMake, numbers, *weights, bins) : counted(kMake, numbers, bins);
}

/// Composed of ATen's index_add.
Tensor bincount_composed(const Tensor& self, const Weights& weights, int64_t minlength) {
  check(self, weights, minlength);
  const int64_t bins = bins_for(Make::kReference, read_numbers(Make::kReference, self), minlength);
  const bool is_float = weights && weights->scalar_type() == at::kFloat;
  const at::ScalarType dtype = !weights ? at::kLong : is_float ? at::kFloat : at::kDouble;
  const Tensor terms = weights ? weights->to(dtype) : at::ones(self.sizes(), dtype);
  return at::zeros({bins}, dtype).index_add_(0, self.to(at::kLong), terms);
}

constexpr const char* kSchema = "(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "bincount_numbers_contiguous", kSchema, bincount<Make::kNumbersContiguous>);
  define(m, "bincount_weights_contiguous", kSchema, bincount<Make::kWeightsContiguous>);
  define(m, "bincount_counts_of_8_bits", kSchema, bincount<Make::kCountsOf8Bits>);
  define(m, "bincount_minlength_as_length", kSchema, bincount<Make::kMinlengthAsLength>);
  define(m, "bincount_sums_of_32_bits", kSchema, bincount<Make::kSumsOf32Bits>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "bincount_strided", kSchema, bincount<Make::kReference>);
  define(m, "bincount_composed", kSchema, bincount_composed);
}

}  // namespace
}  // namespace planted
