#include <ATen/ExpandUtils.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>

#include "strided.h"

namespace planted {
namespace {

/// The reference, or the reference with exactly one thing changed.
enum class Make {
  kReference,
  kConditionStrideIgnored,
  kConditionFromLeft,
  kZeroDimPromotes,
  kNumberThroughFloat,
  kBlended,
  kTailDropped,
  kClearsOut,
  kStartsFromSelf,
};

void check_condition(const Tensor& condition) {
  TORCH_CHECK(condition.scalar_type() == at::kBool || condition.scalar_type() == at::kByte,
              "where: expected a bool condition, got ", condition.scalar_type());
}

Position joint_shape(const Tensor& condition, const Tensor& self, const Tensor& other) {
  return Position(at::infer_size(at::infer_size(self.sizes(), other.sizes()), condition.sizes()));
}

template <class Float>
void blend(char* to, const char* self, const char* other, bool set) {
  Float ours, theirs;
  std::memcpy(&ours, self, sizeof(Float));
  std::memcpy(&theirs, other, sizeof(Float));
  const Float weight = set ? 1 : 0;
  const Float value = weight * ours + (1 - weight) * theirs;
  std::memcpy(to, &value, sizeof(Float));
}

/// Writes `result`, which has the dtype of self and other and the shape of all three.
void choose_elements(Make make, const Tensor& result, const Tensor& condition, const Tensor& self,
                     const Tensor& other) {
  const Strided to = strided(result), ours = strided(self), theirs = strided(other);
  Strided truth = strided(condition);
  if (make == Make::kConditionStrideIgnored) truth.strides = contiguous_strides(truth.sizes);
  const size_t rank = to.sizes.size();
  size_t truth_end = rank;
  if (make == Make::kConditionFromLeft && truth.sizes.size() < rank) {
    bool fits = true;
    for (size_t d = 0; d < truth.sizes.size(); ++d)
      fits = fits && (truth.sizes[d] == 1 || truth.sizes[d] == to.sizes[d]);
    if (fits) truth_end = truth.sizes.size();
  }
  const Combine move = mover(to.item);
  each_position(to.sizes, [&](const Position& position) {
    if (make == Make::kTailDropped && rank > 0 && to.sizes[rank - 1] >= 64 &&
        position[rank - 1] >= to.sizes[rank - 1] / 64 * 64)
      return;
    const bool set = *truth.broadcast_at(position, truth_end) != 0;
    const char* self_at = ours.broadcast_at(position, rank);
    const char* other_at = theirs.broadcast_at(position, rank);
    if (make == Make::kBlended && result.scalar_type() == at::kFloat)
      return blend<float>(to.at(position), self_at, other_at, set);
    if (make == Make::kBlended && result.scalar_type() == at::kDouble)
      return blend<double>(to.at(position), self_at, other_at, set);
    move(to.at(position), set ? self_at : other_at);
  });
}

template <Make kMake>
Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other) {
  check_condition(condition);
  const at::ScalarType dtype = kMake == Make::kZeroDimPromotes
                                   ? c10::promoteTypes(self.scalar_type(), other.scalar_type())
                                   : at::result_type(self, other);
  const Tensor result = at::empty(joint_shape(condition, self, other), self.options().dtype(dtype));
  choose_elements(kMake, result, condition, self.to(dtype), other.to(dtype));
  return result;
}

template <Make kMake>
Tensor where_number(const Tensor& condition, const Tensor& self, const at::Scalar& other) {
  check_condition(condition);
  const at::ScalarType dtype = at::result_type(self, other);
  const bool narrowed = kMake == Make::kNumberThroughFloat && other.isIntegral(false);
  const Tensor number =
      at::scalar_tensor(narrowed ? at::Scalar(other.to<float>()) : other, at::TensorOptions(dtype));
  const Tensor result =
      at::empty(joint_shape(condition, self, number), self.options().dtype(dtype));
  choose_elements(kMake, result, condition, self.to(dtype), number);
  return result;
}

template <Make kMake>
Tensor& where_out(const Tensor& condition, const Tensor& self, const Tensor& other, Tensor& out) {
  check_condition(condition);
  const at::ScalarType dtype = at::result_type(self, other);
  TORCH_CHECK(out.scalar_type() == dtype, "where: the result is ", dtype, ", out ",
              out.scalar_type());
  const Position shape = joint_shape(condition, self, other);
  at::assert_no_internal_overlap(out);
  at::assert_no_partial_overlap(out, condition);
  at::assert_no_partial_overlap(out, self);
  at::assert_no_partial_overlap(out, other);
  at::native::resize_output(out, shape);
  // The defect: out is cleared although it may be self or other.
  if (kMake == Make::kClearsOut) out.zero_();
  // The defect: out holds self before other is read, which it may be.
  if (kMake == Make::kStartsFromSelf) out.copy_(self.expand(shape));
  choose_elements(kMake, out, condition, self.to(dtype), other.to(dtype));
  return out;
}

/// Correct: stacks other and self, and gathers with the condition as the index.
Tensor where_gathered(const Tensor& condition, const Tensor& self, const Tensor& other) {
  check_condition(condition);
  const at::ScalarType dtype = at::result_type(self, other);
  const Position shape = joint_shape(condition, self, other);
  const Tensor layers = at::stack({other.to(dtype).expand(shape), self.to(dtype).expand(shape)});
  const Tensor layer = condition.to(at::kBool).to(at::kLong).expand(shape).unsqueeze(0);
  return at::gather(layers, 0, layer).squeeze(0);
}

constexpr const char* kFunctional = "(Tensor condition, Tensor self, Tensor other) -> Tensor";
constexpr const char* kNumber = "(Tensor condition, Tensor self, Scalar other) -> Tensor";
constexpr const char* kOut =
    ".out(Tensor condition, Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)";

TORCH_LIBRARY_FRAGMENT(planted, m) {
  define(m, "where_condition_stride_ignored", kFunctional, where<Make::kConditionStrideIgnored>);
  define(m, "where_condition_from_left", kFunctional, where<Make::kConditionFromLeft>);
  define(m, "where_zero_dim_promotes", kFunctional, where<Make::kZeroDimPromotes>);
  define(m, "where_number_through_float", kNumber, where_number<Make::kNumberThroughFloat>);
  define(m, "where_blended", kFunctional, where<Make::kBlended>);
  define(m, "where_out_tail_dropped", kOut, where_out<Make::kTailDropped>);
  define(m, "where_out_cleared", kOut, where_out<Make::kClearsOut>);
  define(m, "where_out_starts_from_self", kOut, where_out<Make::kStartsFromSelf>);
}

TORCH_LIBRARY_FRAGMENT(correct, m) {
  define(m, "where_strided", kFunctional, where<Make::kReference>);
  define(m, "where_strided", kOut, where_out<Make::kReference>);
  define(m, "where_number", kNumber, where_number<Make::kReference>);
  define(m, "where_gathered", kFunctional, where_gathered);
}

}  // namespace
}  // namespace planted
