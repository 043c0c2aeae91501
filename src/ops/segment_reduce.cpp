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

#include "ops/families/reductions.h"
#include "ops/fills/filled_positions.h"
#include "ops/illegal.h"
#include "ops/numbers/cast.h"
#include "ops/operator.h"
#include "ops/repair/clamp.h"
#include "ops/repair/settle_layout.h"

namespace indexfuzz {
namespace {

/// Lengths and offsets come first, since the fills treat operand 0 as self: data is an addend.
constexpr int kSegments = 0, kData = 1, kInitial = 2;
constexpr int kAxis = 0, kReduce = 1, kUnsafe = 2;

/// Indexed by Reduction.
constexpr std::string_view kNames[] = {"sum", "prod", "mean", "max", "min"};

constexpr OperandSpec kLengthsOperands[] = {
    {"lengths", Role::kIndex}, {"data", Role::kValue}, {"initial", Role::kScalar}};
constexpr OperandSpec kOffsetsOperands[] = {
    {"offsets", Role::kIndex}, {"data", Role::kValue}, {"initial", Role::kScalar}};
constexpr AttributeSpec kAttributes[] = {{"axis", AttributeType::kDim},
                                         {"reduce", AttributeType::kChoice, kNames},
                                         {"unsafe", AttributeType::kBool}};

constexpr Parameter kOfSegments{Parameter::Kind::kOperand, kSegments};
constexpr Parameter kOfData{Parameter::Kind::kOperand, kData};
constexpr Parameter kOfInitial{Parameter::Kind::kOperand, kInitial};
constexpr Parameter kOfAxis{Parameter::Kind::kAttribute, kAxis};
constexpr Parameter kOfReduce{Parameter::Kind::kAttribute, kReduce};
constexpr Parameter kOfUnsafe{
    .kind = Parameter::Kind::kAttribute, .slot = kUnsafe, .without_effect = true};
constexpr Parameter no(std::string_view name) {
  return {.kind = Parameter::Kind::kNothing, .slot = 0, .name = name};
}
constexpr Parameter kLengthsParameters[] = {kOfData,       kOfReduce, kOfSegments, no("indices"),
                                            no("offsets"), kOfAxis,   kOfUnsafe,   no("initial")};
constexpr Parameter kOffsetsParameters[] = {kOfData,     kOfReduce, no("lengths"), no("indices"),
                                            kOfSegments, kOfAxis,   kOfUnsafe,     no("initial")};
constexpr Parameter kLengthsInitialParameters[] = {
    kOfData, kOfReduce, kOfSegments, no("indices"), no("offsets"), kOfAxis, kOfUnsafe, kOfInitial};
constexpr Parameter kOffsetsInitialParameters[] = {
    kOfData, kOfReduce, no("lengths"), no("indices"), kOfSegments, kOfAxis, kOfUnsafe, kOfInitial};

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
enum OverloadIndex : std::uint8_t { kLengths, kOffsets, kLengthsInitial, kOffsetsInitial };
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
bool has_initial(const Case& c) {
  return c.overload >= kLengthsInitial;
}
bool has_offsets(const Case& c) {
  return c.overload == kOffsets || c.overload == kOffsetsInitial;
}

int axis_of(const Case& c) {
  return wrapped_dim(c.attributes[kAxis], rank(c.operands[kData].shape));
}
std::int64_t axis_size(const Case& c) {
  return size_at(c.operands[kData].shape, axis_of(c));
}

/// How data is divided: `outer` rows of segments, each of `inner` elements at every place.
struct Division {
  std::int64_t outer = 1, segments = 0, inner = 1;
};
Division division_of(const Case& c) {
  const Dims& shape = c.operands[kData].shape;
  Division division;
  for (int d = 0; d < rank(shape); ++d) {
    const std::int64_t size = size_at(shape, d);
    if (d < axis_of(c)) division.outer *= size;
    if (d > axis_of(c)) division.inner *= size;
  }
  const Dims& segments = c.operands[kSegments].shape;
  division.segments = segments.empty() ? 0 : segments.back() - (has_offsets(c) ? 1 : 0);
  return division;
}

ResultSpec result(const Case& c) {
  Dims shape = c.operands[kData].shape;
  // A broken rule may have made the axis one that data lacks.
  if (axis_of(c) >= 0 && axis_of(c) < rank(shape))
    shape[static_cast<std::size_t>(axis_of(c))] =
        std::max<std::int64_t>(division_of(c).segments, 0);
  return {shape, c.operands[kData].dtype};
}

/// Calls f(row, segment, begin, end) for every segment, in order.
template <typename F>
void for_each_segment(const Case& c, const IndexReader& positions, F&& f) {
  const Division division = division_of(c);
  std::int64_t next = 0;  // of the lengths or offsets
  for (std::int64_t row = 0; row < division.outer; ++row) {
    std::int64_t begin = has_offsets(c) ? positions[next++] : 0;
    for (std::int64_t segment = 0; segment < division.segments; ++segment) {
      const std::int64_t end = positions[next++] + (has_offsets(c) ? 0 : begin);
      f(row, segment, begin, end);
      begin = end;
    }
  }
}

std::int64_t longest_segment(const Case& c) {
  static thread_local std::vector<std::byte> bytes;
  const IndexReader positions = filled_positions(c, kSegments, bytes);
  // Rules change the number of rows, or take all offsets away.
  const Division division = division_of(c);
  const std::int64_t in_a_row = division.segments + (has_offsets(c) ? 1 : 0);
  if (division.segments < 0 || positions.count() != division.outer * in_a_row) return axis_size(c);
  std::int64_t longest = 0;
  for_each_segment(c, positions,
                   [&](std::int64_t, std::int64_t, std::int64_t begin, std::int64_t end) {
                     longest = std::max(longest, end - begin);
                   });
  return longest;
}

/// Gives lengths or offsets the shape of data up to the axis, and as many segments as were drawn:
/// one or more, unless the axis is empty.
void fit_segments(Case& c, const Limits& limits) {
  Operand& data = c.operands[kData];
  Dims& shape = c.operands[kSegments].shape;
  const auto axis = static_cast<std::size_t>(axis_of(c));
  std::int64_t drawn = shape.empty() ? 1 : shape.back();
  shape.assign(data.shape.begin(), data.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  std::int64_t others = 1;
  for (std::size_t d = 0; d < data.shape.size(); ++d)
    if (d != axis) others *= std::max<std::int64_t>(data.shape[d], 1);
  const std::int64_t most = limits.max_elements / others;
  std::int64_t least = has_offsets(c) ? 2 : 1;
  if (least > most) data.shape[axis] = 0;
  if (data.shape[axis] == 0) --least;
  shape.push_back(std::clamp(drawn, least, std::max(most, least)));
}

/// In no row of lengths or offsets do elements share memory: they add up to the size of the axis.
void settle_segments(Case& c, const Limits& limits) {
  Operand& segments = c.operands[kSegments];
  clamp_fill(segments.fill, FillFamily::kIndex);
  segments.fill.kind = has_offsets(c) ? FillKind::kOffsets5 : FillKind::kLengths1;
  settle_layout(segments, limits, true, false);
  segments.layout.dims.back().expanded = false;
  segments.fill.repeats &= static_cast<std::uint16_t>((1u << (segments.shape.size() - 1)) - 1);
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

/// Whether every length or offset is known to be read, and the elements that it leads to. What
/// calls with an initial share with those without is tested once.
bool takes_elements(const Case& c) {
  return !has_initial(c) && numel(c.operands[kSegments].shape) > 0 &&
         numel(c.operands[kData].shape) > 0;
}
/// The same of lengths, or of offsets. The call then is not `unsafe`, so that they are checked.
bool checks_lengths(Case& c) {
  if (has_offsets(c) || !takes_elements(c)) return false;
  c.attributes[kUnsafe] = 0;
  return true;
}
bool checks_offsets(Case& c) {
  if (!has_offsets(c) || !takes_elements(c)) return false;
  c.attributes[kUnsafe] = 0;
  return true;
}

void poke_segments(Case& c, std::int64_t position, std::int64_t value) {
  Operand& segments = c.operands[kSegments];
  segments.poked = true;
  segments.poke_position = position;
  segments.poke_value = value;
}

/// Gives each row the same lengths, of which the last is so far below zero that they add up to the
/// size of the axis still.
bool make_length_negative(Case& c) {
  if (!checks_lengths(c)) return false;
  Operand& lengths = c.operands[kSegments];
  const std::int64_t last = axis_size(c) * (2 - lengths.shape.back());
  if (last >= 0 || last < std::numeric_limits<std::int32_t>::min()) return false;
  for (std::size_t d = 0; d + 1 < lengths.shape.size(); ++d) {
    if (lengths.shape[d] != 1) expand_dimension(lengths, d);
  }
  lengths.fill.kind = FillKind::kLast;
  poke_segments(c, numel(lengths.shape) - 1, last);
  return true;
}

/// Makes one length smaller by one.
bool lengths_fall_short(Case& c) {
  if (!checks_lengths(c)) return false;
  std::vector<std::byte> bytes;
  const IndexReader lengths = filled_positions(c, kSegments, bytes);
  std::int64_t p = lengths.count() - 1;
  while (lengths[p] == 0) --p;
  poke_segments(c, p, lengths[p] - 1);
  return true;
}

/// Makes one offset smaller than the one before it in its row.
bool offsets_fall(Case& c) {
  if (!checks_offsets(c)) return false;
  std::vector<std::byte> bytes;
  const IndexReader offsets = filled_positions(c, kSegments, bytes);
  const std::int64_t width = c.operands[kSegments].shape.back();
  for (std::int64_t p = offsets.count(); p-- > 1;) {
    // The last one of a row has a rule of its own.
    const bool is_inside = p % width != 0 && p % width != width - 1;
    if (!is_inside || offsets[p - 1] == 0) continue;
    poke_segments(c, p, offsets[p - 1] - 1);
    return true;
  }
  return false;
}

/// Makes the first segment of the first row begin behind the first element.
bool offsets_begin_later(Case& c) {
  if (!checks_offsets(c)) return false;
  std::vector<std::byte> bytes;
  const IndexReader offsets = filled_positions(c, kSegments, bytes);
  if (offsets[1] == 0) return false;  // the offsets would fall
  poke_segments(c, 0, 1);
  return true;
}

/// Makes the last segment of the last row end before the last element.
bool offsets_end_early(Case& c) {
  if (!checks_offsets(c)) return false;
  std::vector<std::byte> bytes;
  const IndexReader offsets = filled_positions(c, kSegments, bytes);
  const std::int64_t last = offsets.count() - 1;
  if (offsets[last - 1] == offsets[last]) return false;  // the offsets would fall
  poke_segments(c, last, offsets[last] - 1);
  return true;
}

/// Gives lengths or offsets another number of rows.
bool resize_rows(Case& c, std::int64_t more) {
  Operand& segments = c.operands[kSegments];
  // A single row may well stand for all.
  if (segments.shape.size() < 2 || !takes_elements(c) || segments.shape[0] + more < 2) return false;
  resize_dimension(segments, 0, segments.shape[0] + more);
  return true;
}

constexpr IllegalRule kRules[] = {
    {1, "length_negative", make_length_negative},
    {2, "length_above",
     [](Case& c) { return checks_lengths(c) && poke_index(c, kSegments, axis_size(c) + 1); }},
    {3, "lengths_fall_short", lengths_fall_short},
    {4, "offset_below", [](Case& c) { return checks_offsets(c) && poke_index(c, kSegments, -1); }},
    {5, "offset_above",
     [](Case& c) { return checks_offsets(c) && poke_index(c, kSegments, axis_size(c) + 1); }},
    {6, "offsets_fall", offsets_fall},
    // Offsets may be read as what they are: the first and the last element of each segment.
    {7, "offsets_begin_later", offsets_begin_later, kATenOnly},
    {8, "offsets_end_early", offsets_end_early, kATenOnly},
    {9, "no_offsets",
     [](Case& c) {
       return checks_offsets(c) &&
              empty_dimension(c, kSegments, rank(c.operands[kSegments].shape) - 1);
     },
     kMayBeEmpty},
    {10, "index_dtype", [](Case& c) { return become_floating(c, kSegments); }},
    {11, "index_dtype_narrow", [](Case& c) { return become_narrow(c, kSegments); }, kATenOnly},
    {12, "axis_above", dim_above},
    {13, "axis_below", dim_below},
    {14, "rank_above",
     [](Case& c) { return add_dimension(c, kSegments, rank(c.operands[kSegments].shape) + 1); }},
    {15, "rows_above", [](Case& c) { return resize_rows(c, 1); }},
    {16, "rows_below", [](Case& c) { return resize_rows(c, -1); }},
    {17, "out_dtype", change_out_dtype},
    {18, "out_overlaps_itself", overlap_written},
};

const OperatorInfo kInfo{
    .number = 56,
    .name = "segment_reduce",
    .overloads = kOverloads,
    .rules = kRules,
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
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
