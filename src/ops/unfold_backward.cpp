// unfold_backward(grad_in, input_sizes, dim, size, step): the gradient of Tensor.unfold. To zeros
// of input_sizes, adds each element of grad_in at the place from which unfold took it: grad_in has
// the windows in place of dimension dim, and their elements in a last dimension; element j of
// window i is element i * step + j along dim.
// https://pytorch.org/docs/stable/generated/torch.Tensor.unfold.html
//
// Agreement: exact, since floating point is filled so that every sum is exact in every order;
// integers wrap, bools are or'ed. A real zero may have either sign; of complex numbers what
// Agreement::kSum admits is right, too. grad_in has as many windows as fit in the length, which may
// leave elements behind the last one; windows may overlap, have gaps between them, or be empty. A
// tensor without dimensions has one window of at most one element, which grad_in has no dimension
// for. Self has one of ATen's dtypes.
//
// A custom kernel need not refuse windows that do not fit, since grad_in comes of a call that has
// checked them, but it must not touch memory that is not its own.

#include <algorithm>
#include <cstring>

#include "ops/definition/operator.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_shapes.h"
#include "ops/numbers/sums.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settled_sums.h"

namespace indexfuzz {
namespace {

constexpr int kGradIn = 0;
constexpr int kDim = 0, kSize = 1, kStep = 2, kLength = 3;
constexpr DtypeSet kSummed = kIntegralDtypes | kFloats | set_of(Dtype::kBool) |
                             set_of(Dtype::kComplexFloat) | set_of(Dtype::kComplexDouble);

constexpr OperandSpec kOperands[] = {{"grad_in", Role::kValue}};
// `length` is what input_sizes has for dim; the other sizes are those of grad_in.
constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kOuterDim},
                                         {"size", AttributeType::kSize},
                                         {"step", AttributeType::kStep},
                                         {"length", AttributeType::kSize}};
constexpr Parameter kParameters[] = {operand(kGradIn), result_shape("input_sizes"), attribute(kDim),
                                     attribute(kSize), attribute(kStep)};
constexpr Form kForms[] = {
    {Variant::kFunctional, "unfold_backward", "",
     "torch.ops.aten.unfold_backward({grad_in}, [{input_sizes}], {dim}, {size}, {step})",
     "at::unfold_backward({grad_in}, {{input_sizes}}, {dim}, {size}, {step})"},
    {Variant::kOut, "unfold_backward", "out",
     "torch.ops.aten.unfold_backward.out({grad_in}, [{input_sizes}], {dim}, {size}, {step}, "
     "out={out})",
     "at::unfold_backward_out({out}, {grad_in}, {{input_sizes}}, {dim}, {size}, {step})"},
};
constexpr Overload kOverloads[] = {{"", kOperands, kAttributes, kParameters, kForms}};

/// Whether the result has dimensions, so that the windows lie along one of them.
bool has_windows(const Case& c) {
  return rank(c.operands[kGradIn].shape) > 1;
}

/// Whether there is the dimension that a case names; a rule makes it illegal.
bool has_dim(const Case& c) {
  const std::int64_t dim = c.attributes[kDim], dims = rank(c.operands[kGradIn].shape) - 1;
  return -dims <= dim && dim < dims;
}

/// The dimension of the windows; any where there is none.
std::size_t window_dim(const Case& c) {
  const int dims = rank(c.operands[kGradIn].shape) - 1;
  return has_dim(c) ? static_cast<std::size_t>(wrapped_dim(c.attributes[kDim], dims)) : 0;
}

std::int64_t window_count(const Case& c) {
  return has_windows(c) ? c.operands[kGradIn].shape[window_dim(c)] : 1;
}

ResultSpec result(const Case& c) {
  ResultSpec spec = result_like_self(c);
  if (has_dim(c)) spec.shape[window_dim(c)] = c.attributes[kLength];
  spec.shape.pop_back();
  return spec;
}

/// Gives grad_in windows, and their elements a dimension.
void give_windows(Case& c, const Limits& limits) {
  Dims& shape = c.operands[kGradIn].shape;
  if (shape.empty()) shape.push_back(1);
  clamp_shape(shape, limits.max_rank, limits.max_elements);
  // Most of what has one dimension would be too large for a tensor without any.
  if (rank(shape) == 1 && shape[0] > 1) shape.push_back(std::min<std::int64_t>(shape[0], 3));
  clamp_dim(c.attributes[kDim], rank(shape) - 1);
  if (has_windows(c)) {
    std::int64_t& windows = shape[window_dim(c)];
    windows = std::max<std::int64_t>(windows, 1);
  }
  clamp_shape(shape, kMaxDims, limits.max_elements);
}

/// Brings the step and the length to what this many windows of this size can have.
void settle_length(Case& c, const Limits& limits) {
  const Dims& shape = c.operands[kGradIn].shape;
  const std::int64_t windows = window_count(c), size = shape.back();
  std::int64_t elements = 1;  // a size of 0 counts as 1
  for (const std::int64_t each : shape) elements *= std::max<std::int64_t>(each, 1);
  // As with what is padded, the result is large only if grad_in is, since large cases are to be
  // rare. Windows one element apart are never longer together than all of them.
  constexpr std::int64_t kFew = 1000, kGrowth = 4, kLarge = 32768;
  const std::int64_t most =
      std::min(limits.max_elements,
               std::max(kFew, std::min(kGrowth * elements, std::max(elements, kLarge))));
  const std::int64_t most_length = most / (elements / windows / std::max<std::int64_t>(size, 1));
  std::int64_t &length = c.attributes[kLength], &step = c.attributes[kStep];
  c.attributes[kSize] = size;
  // Tensor.unfold refuses a step that makes a stride of 64 bits or more.
  constexpr std::int64_t kFarthest = INT64_MAX / kMostElements;
  step = std::clamp<std::int64_t>(step, 1,
                                  windows > 1 ? (most_length - size) / (windows - 1) : kFarthest);
  if (!has_windows(c)) {
    length = 1;
    return;
  }
  const std::int64_t least = (windows - 1) * step + size;
  const std::int64_t rest = std::min(step - 1, most_length - least);
  if (length < least || length - least > rest)
    length = least + std::max<std::int64_t>(length, 0) % (rest + 1);
}

void repair_unfold_backward(Case& c, const Limits& limits) {
  Operand& grad = c.operands[kGradIn];
  clamp_dtype(grad.dtype, within(kSummed, limits));
  give_windows(c, limits);
  settle_length(c, limits);
  clamp_fill(grad.fill, FillFamily::kValue);
  settle_terms(grad);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  const auto [sizes, dtype] = result(c);
  std::memset(destination, 0, static_cast<std::size_t>(numel(sizes)) * item_size(dtype));
  const Dims& shape = c.operands[kGradIn].shape;
  const std::int64_t windows = window_count(c), size = shape.back(), step = c.attributes[kStep];
  std::int64_t inner = 1;  // the elements behind each of the dimension of the windows
  for (std::size_t d = window_dim(c) + 1; d < sizes.size(); ++d) inner *= sizes[d];
  const std::int64_t slice = c.attributes[kLength] * inner;
  as_addends(dtype, destination, input.operands[kGradIn].data, [&](auto* to, const auto* from) {
    const auto* const end = from + numel(shape);
    for (; from != end; to += slice) {
      for (std::int64_t i = 0; i < windows; ++i)
        for (std::int64_t k = 0; k < inner; ++k)
          for (std::int64_t j = 0; j < size; ++j) to[(i * step + j) * inner + k].add(*from++);
    }
  });
}

/// How many windows hold the same element at most.
std::int64_t windows_over_one_element(const Case& c, int) {
  const std::int64_t size = c.attributes[kSize],
                     step = std::max<std::int64_t>(c.attributes[kStep], 1);
  return std::min(window_count(c), size / step + (size % step != 0 ? 1 : 0));
}

bool adds_elements(const Case& c) {
  return numel(c.operands[kGradIn].shape) > 0;
}

/// Gives grad_in a window that begins too far along to end within the length.
bool add_window(Case& c) {
  if (!adds_elements(c) || !has_windows(c)) return false;
  resize_dimension(c.operands[kGradIn], window_dim(c), window_count(c) + 1);
  return true;
}

/// Windows of one element more than grad_in has of each.
bool widen_windows(Case& c) {
  if (!adds_elements(c)) return false;
  ++c.attributes[kSize];
  return true;
}

bool set_step(Case& c, std::int64_t step) {
  if (!adds_elements(c)) return false;
  c.attributes[kStep] = step;
  return true;
}

constexpr IllegalRule kRules[] = {
    {1, "dim_above", dim_above},
    {2, "dim_below", dim_below},
    {3, "windows_above", add_window, kMayReturnAnything},
    {4, "size_above", widen_windows, kMayReturnAnything},
    // Other kernels may take no step for one, or count from the end.
    {5, "step_zero", [](Case& c) { return set_step(c, 0); }, kATenOnly},
    {6, "step_below", [](Case& c) { return set_step(c, -1); }, kATenOnly},
    {7, "out_dtype", change_out_dtype},
    {8, "out_overlaps_itself", overlap_written},
};

const OperatorInfo kInfo{
    .number = 60,
    .name = "unfold_backward",
    .overloads = kOverloads,
    .rules = kRules,
    .least_rank = 1,
    .repair = repair_unfold_backward,
    .result = result,
    .oracle = oracle,
    .agreement =
        [](const Case& c) {
          return is_complex(c.operands[kGradIn].dtype) ? Agreement::kSum : Agreement::kEitherZero;
        },
    .terms = windows_over_one_element,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
