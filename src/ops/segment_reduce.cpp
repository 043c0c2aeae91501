// segment_reduce(data, reduce, lengths, axis): along the axis, data is divided into segments one
// after the other, lengths[i] elements long or from offsets[i] to offsets[i + 1]; element i of the
// result is the sum, product, mean, maximum or minimum of segment i. An `initial` is a term, or
// factor, of every segment, but is not counted in the number by which a mean is divided.
//
// No documentation: what is right is said by PyTorch's test/test_segment_reductions.py and by the
// checks in ATen's SegmentReduce.cpp. Lengths, or offsets, have the dimensions of data up to the
// axis, which is their last one, so that each row along the axis has segments of its own. Lengths
// are never negative and add up to the size of the axis, which is checked unless `unsafe`. Offsets
// go from 0 to that size and never fall; ATen checks nothing of it, not even their number of rows.
//
// Agreement: as reductions.h says. Of no elements the sum is 0, the product 1, the mean NaN, the
// maximum -infinity and the minimum infinity, or any of them the `initial`. Data has one of ATen's
// dtypes: floating point of more than 8 bits.
//
// Not tested: both lengths and offsets, or neither; `indices`, which ATen does not read. There is
// no rule against an out that is data: the out= form computes the whole result before it writes it.

#include <algorithm>
#include <limits>
#include <vector>

#include "ops/definition/operator.h"
#include "ops/families/reductions.h"
#include "ops/families/segment_rules.h"
#include "ops/families/segments.h"
#include "ops/numbers/cast.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

using namespace segment;

/// Indexed by Reduction.
constexpr std::string_view kNames[] = {"sum", "prod", "mean", "max", "min"};

constexpr OperandSpec kLengthsOperands[] = {
    {"lengths", Role::kIndex}, {"data", Role::kValue}, {"initial", Role::kScalar}};
constexpr OperandSpec kOffsetsOperands[] = {
    {"offsets", Role::kIndex}, {"data", Role::kValue}, {"initial", Role::kScalar}};
constexpr AttributeSpec kAttributes[] = {{"axis", AttributeType::kDim},
                                         {"reduce", AttributeType::kChoice, kNames},
                                         {"unsafe", AttributeType::kBool}};

constexpr Parameter kLengthsParameters[] = {operand(kData),
                                            attribute(kReduce),
                                            operand(kSegments),
                                            nothing("indices"),
                                            nothing("offsets"),
                                            attribute(kAxis),
                                            attribute_without_effect(kUnsafe),
                                            nothing("initial")};
constexpr Parameter kOffsetsParameters[] = {operand(kData),
                                            attribute(kReduce),
                                            nothing("lengths"),
                                            nothing("indices"),
                                            operand(kSegments),
                                            attribute(kAxis),
                                            attribute_without_effect(kUnsafe),
                                            nothing("initial")};
constexpr Parameter kLengthsInitialParameters[] = {operand(kData),
                                                   attribute(kReduce),
                                                   operand(kSegments),
                                                   nothing("indices"),
                                                   nothing("offsets"),
                                                   attribute(kAxis),
                                                   attribute_without_effect(kUnsafe),
                                                   operand(kInitial)};
constexpr Parameter kOffsetsInitialParameters[] = {operand(kData),
                                                   attribute(kReduce),
                                                   nothing("lengths"),
                                                   nothing("indices"),
                                                   operand(kSegments),
                                                   attribute(kAxis),
                                                   attribute_without_effect(kUnsafe),
                                                   operand(kInitial)};

constexpr Form functional(std::string_view python, std::string_view cpp) {
  return {Variant::kFunctional, "segment_reduce", "", python, cpp};
}
constexpr Form out(std::string_view python, std::string_view cpp) {
  return {Variant::kOut, "segment_reduce", "out", python, cpp};
}
constexpr Form kLengthsForms[] = {
    functional(
        "torch.segment_reduce({data}, {reduce}, lengths={lengths}, axis={axis}, unsafe={unsafe})",
        "at::segment_reduce({data}, {reduce}, {lengths}, {}, {}, {axis}, {unsafe})"),
    out("torch.ops.aten.segment_reduce.out({data}, {reduce}, lengths={lengths}, axis={axis}, "
        "unsafe={unsafe}, out={out})",
        "at::segment_reduce_out({out}, {data}, {reduce}, {lengths}, {}, {}, {axis}, {unsafe})")};
constexpr Form kOffsetsForms[] = {
    functional(
        "torch.segment_reduce({data}, {reduce}, offsets={offsets}, axis={axis}, unsafe={unsafe})",
        "at::segment_reduce({data}, {reduce}, {}, {}, {offsets}, {axis}, {unsafe})"),
    out("torch.ops.aten.segment_reduce.out({data}, {reduce}, offsets={offsets}, axis={axis}, "
        "unsafe={unsafe}, out={out})",
        "at::segment_reduce_out({out}, {data}, {reduce}, {}, {}, {offsets}, {axis}, {unsafe})")};
constexpr Form kLengthsInitialForms[] = {
    functional("torch.segment_reduce({data}, {reduce}, lengths={lengths}, axis={axis}, "
               "unsafe={unsafe}, initial={initial})",
               "at::segment_reduce({data}, {reduce}, {lengths}, {}, {}, {axis}, {unsafe}, "
               "{initial})"),
    out("torch.ops.aten.segment_reduce.out({data}, {reduce}, lengths={lengths}, axis={axis}, "
        "unsafe={unsafe}, initial={initial}, out={out})",
        "at::segment_reduce_out({out}, {data}, {reduce}, {lengths}, {}, {}, {axis}, {unsafe}, "
        "{initial})")};
constexpr Form kOffsetsInitialForms[] = {
    functional("torch.segment_reduce({data}, {reduce}, offsets={offsets}, axis={axis}, "
               "unsafe={unsafe}, initial={initial})",
               "at::segment_reduce({data}, {reduce}, {}, {}, {offsets}, {axis}, {unsafe}, "
               "{initial})"),
    out("torch.ops.aten.segment_reduce.out({data}, {reduce}, offsets={offsets}, axis={axis}, "
        "unsafe={unsafe}, initial={initial}, out={out})",
        "at::segment_reduce_out({out}, {data}, {reduce}, {}, {}, {offsets}, {axis}, {unsafe}, "
        "{initial})")};

constexpr auto kLengthsAlone = std::span(kLengthsOperands).first(kInitial);
constexpr auto kOffsetsAlone = std::span(kOffsetsOperands).first(kInitial);
constexpr Overload kOverloads[] = {
    {"lengths", kLengthsAlone, kAttributes, kLengthsParameters, kLengthsForms},
    {"offsets", kOffsetsAlone, kAttributes, kOffsetsParameters, kOffsetsForms},
    {"lengths_initial", kLengthsOperands, kAttributes, kLengthsInitialParameters,
     kLengthsInitialForms},
    {"offsets_initial", kOffsetsOperands, kAttributes, kOffsetsInitialParameters,
     kOffsetsInitialForms}};

Reduction reduction_of(const Case& c) {
  return static_cast<Reduction>(c.attributes[kReduce]);
}

ResultSpec result(const Case& c) {
  Dims shape = c.operands[kData].shape;
  // A broken rule may have made the axis one that data lacks.
  if (axis_of(c) >= 0 && axis_of(c) < rank(shape))
    shape[static_cast<std::size_t>(axis_of(c))] =
        std::max<std::int64_t>(division_of(c).segments, 0);
  return {shape, c.operands[kData].dtype};
}

/// Settles the fill of an initial as that of a self to which elements are added, but in a dtype of
/// its own.
void settle_fills(Case& c) {
  Operand& data = c.operands[kData];
  clamp_fill(data.fill, FillFamily::kValue);
  Operand self = data;
  if (has_initial(c)) {
    self.fill = c.operands[kInitial].fill;
    // Only integers are whole multiples of the unit of other integers.
    const bool is_whole = !is_floating_or_complex(c.operands[kInitial].dtype);
    const bool adds = reduction_of(c) == Reduction::kSum || reduction_of(c) == Reduction::kMean;
    if (is_whole && adds && self.fill.kind != FillKind::kZeros) self.fill.kind = FillKind::kSums1;
  }
  settle_reduction_fills(reduction_of(c), self, data, false);
  if (!has_initial(c)) return;
  Operand& initial = c.operands[kInitial];
  initial.fill.kind = self.fill.kind;
  // The fills for products leave few bits to a factor that is no self.
  if (is_for_products(initial.fill.kind)) initial.fill.kind = FillKind::kFactor1;
}

void repair_segment_reduce(Case& c, const Limits& limits) {
  Operand& data = c.operands[kData];
  clamp_choice(c.attributes[kReduce], std::size(kNames));
  clamp_bool(c.attributes[kUnsafe]);
  clamp_dtype(data.dtype, within(kFloats, limits));
  clamp_dtype(c.operands[kSegments].dtype, limits.index_dtypes);
  clamp_shape(data.shape, limits.max_rank, limits.max_elements);
  if (data.shape.empty()) data.shape = {1};
  clamp_dim(c.attributes[kAxis], rank(data.shape));
  fit_segments(c, limits);
  settle_segments(c, limits);
  if (has_initial(c)) clamp_scalar(c.operands[kInitial], data.dtype);
  settle_fills(c);
}

/// NaN is the largest and the smallest number.
double united(Reduction reduction, double a, double b) {
  switch (reduction) {
    case Reduction::kSum:
    case Reduction::kMean: return a + b;
    case Reduction::kProd: return a * b;
    case Reduction::kAmax: return a > b || a != a ? a : b;
    case Reduction::kAmin: return a < b || a != a ? a : b;
  }
  return a;
}

double of_no_elements(Reduction reduction) {
  using Numbers = std::numeric_limits<double>;
  switch (reduction) {
    case Reduction::kSum: return 0;
    case Reduction::kProd: return 1;
    case Reduction::kMean: return Numbers::quiet_NaN();
    case Reduction::kAmax: return -Numbers::infinity();
    case Reduction::kAmin: return Numbers::infinity();
  }
  return 0;
}

/// The initial in the dtype of data.
void write_initial(const OracleInput& input, std::byte* destination) {
  convert(input.c.operands[kInitial].dtype, input.operands[kInitial].data,
          input.c.operands[kData].dtype, destination, 1);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  const Reduction reduction = reduction_of(c);
  const Dtype dtype = c.operands[kData].dtype;
  const Division division = division_of(c);
  const std::int64_t size = axis_size(c);
  static thread_local std::vector<double> data, segment;
  data.resize(static_cast<std::size_t>(input.operands[kData].count));
  convert(dtype, input.operands[kData].data, Dtype::kDouble,
          reinterpret_cast<std::byte*>(data.data()), input.operands[kData].count);
  double initial = of_no_elements(reduction);
  if (has_initial(c)) {
    std::byte narrow[sizeof(double)];
    write_initial(input, narrow);
    convert(dtype, narrow, Dtype::kDouble, reinterpret_cast<std::byte*>(&initial), 1);
  }
  for_each_segment(c, IndexReader(input, kSegments),
                   [&](std::int64_t row, std::int64_t, std::int64_t begin, std::int64_t end) {
                     segment.assign(static_cast<std::size_t>(division.inner), initial);
                     bool is_first = !has_initial(c);
                     for (std::int64_t place = begin; place < end; ++place) {
                       const double* const from =
                           data.data() + (row * size + place) * division.inner;
                       for (std::size_t i = 0; i < segment.size(); ++i)
                         segment[i] = is_first ? from[i] : united(reduction, segment[i], from[i]);
                       is_first = false;
                     }
                     if (reduction == Reduction::kMean && begin < end) {
                       for (double& number : segment) number /= static_cast<double>(end - begin);
                     }
                     convert(Dtype::kDouble, reinterpret_cast<const std::byte*>(segment.data()),
                             dtype, destination, division.inner);
                     destination += static_cast<std::size_t>(division.inner) * item_size(dtype);
                   });
}

/// Passes on every term of the segments' means.
void contributions(const OracleInput& input, ContributionSink sink, void* context) {
  const Case& c = input.c;
  const Division division = division_of(c);
  const std::int64_t size = axis_size(c);
  const auto bytes = static_cast<std::int64_t>(item_size(c.operands[kData].dtype));
  std::byte initial[sizeof(double)];
  if (has_initial(c)) write_initial(input, initial);
  for_each_segment(
      c, IndexReader(input, kSegments),
      [&](std::int64_t row, std::int64_t segment, std::int64_t begin, std::int64_t end) {
        const std::int64_t first = (row * division.segments + segment) * division.inner;
        for (std::int64_t i = 0; i < division.inner; ++i) {
          if (has_initial(c)) sink(context, {first + i, initial});
          for (std::int64_t place = begin; place < end; ++place) {
            const std::int64_t from = (row * size + place) * division.inner + i;
            sink(context, {first + i, input.operands[kData].data + from * bytes});
          }
        }
      });
}

const OperatorInfo kInfo{
    .number = 56,
    .name = "segment_reduce",
    .overloads = kOverloads,
    .rules = segment_rules,
    .least_rank = 1,
    .dim_operand = kData,
    .repair = repair_segment_reduce,
    .result = result,
    .index_bound = [](const Case& c, int) { return axis_size(c) + 1; },
    .cast_to =
        [](const Case& c, int operand) {
          return operand_at(c, operand == kInitial ? kData : operand).dtype;
        },
    .oracle = oracle,
    .agreement = [](const Case& c) { return agreement_of(reduction_of(c)); },
    .terms = [](const Case& c, int operand) { return operand == kData ? longest_segment(c) : 1; },
    .contributions = contributions,
    .derivatives = Derivatives::kBackward,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
