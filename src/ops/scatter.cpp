// scatter(self, dim, index, src): self[index[i][j]][j] = src[i][j] for dim = 0, and so on; a number
// may take the place of src. With `reduce` the new value is added to the old element, or multiplied
// by it.
// https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html
//
// Agreement: if several elements of src are written to the same place, any of them may win. A
// number is exact: it is drawn so that self's dtype holds it exactly or all implementations
// convert it alike. Sums and products are as reductions.h says; a number takes part once for each
// index that names the element. Indices are int32 or int64, never negative; src has self's dtype
// and may be larger than index.

#include "ops/definition/operator.h"
#include "ops/families/along_dim.h"
#include "ops/families/along_dim_rules.h"
#include "ops/families/moves.h"
#include "ops/families/reductions.h"
#include "ops/families/self_dim.h"
#include "ops/fills/write_positions.h"
#include "ops/illegal/break_arguments.h"
#include "ops/illegal/break_dtypes.h"
#include "ops/illegal/break_memory.h"
#include "ops/illegal/break_values.h"
#include "ops/numbers/cast.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0, kIndexOperand = 1, kSrc = 2, kValue = 2;
constexpr int kDim = 0, kReduce = 1;
enum OverloadIndex : std::uint8_t { kFromSrc, kFromValue, kReduceSrc, kReduceValue };

bool has_src(const Case& c) {
  return c.overload == kFromSrc || c.overload == kReduceSrc;
}
bool reduces(const Case& c) {
  return c.overload == kReduceSrc || c.overload == kReduceValue;
}
/// How old and new elements are combined; for a case that reduces.
Reduction reduction_of(const Case& c) {
  return c.attributes[kReduce] == 0 ? Reduction::kSum : Reduction::kProd;
}

constexpr OperandSpec kSrcOperands[] = {
    {"self", Role::kValue}, {"index", Role::kIndex}, {"src", Role::kValue}};
constexpr OperandSpec kValueOperands[] = {
    {"self", Role::kValue}, {"index", Role::kIndex}, {"value", Role::kScalar}};
constexpr AttributeSpec kAttributes[] = {{"dim", AttributeType::kDim}};
constexpr std::string_view kReduceWords[] = {"add", "multiply"};
constexpr AttributeSpec kReduceAttributes[] = {{"dim", AttributeType::kDim},
                                               {"reduce", AttributeType::kChoice, kReduceWords}};
constexpr Parameter kParameters[] = {operand(kSelf), attribute(kDim), operand(kIndexOperand),
                                     operand(kSrc)};
constexpr Parameter kReduceParameters[] = {operand(kSelf), attribute(kDim), operand(kIndexOperand),
                                           operand(kSrc), attribute(kReduce)};
constexpr Form kSrcForms[] = {
    {Variant::kFunctional, "scatter", "src", "torch.scatter({self}, {dim}, {index}, {src})",
     "at::scatter({self}, {dim}, {index}, {src})"},
    {Variant::kInPlace, "scatter_", "src", "{self}.scatter_({dim}, {index}, {src})",
     "{self}.scatter_({dim}, {index}, {src})"},
    {Variant::kOut, "scatter", "src_out", "torch.scatter({self}, {dim}, {index}, {src}, out={out})",
     "at::scatter_out({out}, {self}, {dim}, {index}, {src})"}};
constexpr Form kValueForms[] = {
    {Variant::kFunctional, "scatter", "value", "torch.scatter({self}, {dim}, {index}, {value})",
     "at::scatter({self}, {dim}, {index}, {value})"},
    {Variant::kInPlace, "scatter_", "value", "{self}.scatter_({dim}, {index}, {value})",
     "{self}.scatter_({dim}, {index}, {value})"},
    {Variant::kOut, "scatter", "value_out",
     "torch.scatter({self}, {dim}, {index}, {value}, out={out})",
     "at::scatter_out({out}, {self}, {dim}, {index}, {value})"}};
constexpr Form kReduceSrcForms[] = {
    {Variant::kFunctional, "scatter", "reduce",
     "torch.scatter({self}, {dim}, {index}, {src}, reduce={reduce})",
     "at::scatter({self}, {dim}, {index}, {src}, {reduce})"},
    {Variant::kInPlace, "scatter_", "reduce",
     "{self}.scatter_({dim}, {index}, {src}, reduce={reduce})",
     "{self}.scatter_({dim}, {index}, {src}, {reduce})"},
    {Variant::kOut, "scatter", "reduce_out",
     "torch.scatter({self}, {dim}, {index}, {src}, reduce={reduce}, out={out})",
     "at::scatter_out({out}, {self}, {dim}, {index}, {src}, {reduce})"}};
constexpr Form kReduceValueForms[] = {
    {Variant::kFunctional, "scatter", "value_reduce",
     "torch.scatter({self}, {dim}, {index}, {value}, reduce={reduce})",
     "at::scatter({self}, {dim}, {index}, {value}, {reduce})"},
    {Variant::kInPlace, "scatter_", "value_reduce",
     "{self}.scatter_({dim}, {index}, {value}, reduce={reduce})",
     "{self}.scatter_({dim}, {index}, {value}, {reduce})"},
    {Variant::kOut, "scatter", "value_reduce_out",
     "torch.scatter({self}, {dim}, {index}, {value}, reduce={reduce}, out={out})",
     "at::scatter_out({out}, {self}, {dim}, {index}, {value}, {reduce})"}};
// Left out: scatter.dimname_src and .dimname_value, which only look up a dimension's name.
constexpr Overload kOverloads[] = {
    {"src", kSrcOperands, kAttributes, kParameters, kSrcForms},
    {"value", kValueOperands, kAttributes, kParameters, kValueForms},
    {"reduce", kSrcOperands, kReduceAttributes, kReduceParameters, kReduceSrcForms},
    {"value_reduce", kValueOperands, kReduceAttributes, kReduceParameters, kReduceValueForms}};

/// Settles the fills of self and an integer value: the value can hold neither the fractions that
/// self may hold nor special values of floating point.
void settle_whole_number(Operand& self, Operand& value, Reduction reduction) {
  if (is_floating_or_complex(value.dtype) || !is_floating_or_complex(self.dtype)) return;
  FillKind& kind = value.fill.kind;
  if (kind == FillKind::kZeros) return;
  if (reduction == Reduction::kProd) {
    if (kind != FillKind::kOnes) kind = FillKind::kIndex;
    return;
  }
  kind = FillKind::kSums1;
  if (has_unit(self.fill.kind)) self.fill.kind = FillKind::kSums1;
}

void repair_scatter(Case& c, const Limits& limits) {
  Operand& self = c.operands[kSelf];
  Operand& index = c.operands[kIndexOperand];
  if (reduces(c)) {
    clamp_choice(c.attributes[kReduce], std::size(kReduceWords));
    settle_reduction(c, kReduce, Reduction::kSum, limits);
  } else {
    clamp_dtype(self.dtype, limits.dtypes);
  }
  clamp_dtype(index.dtype, limits.index_dtypes);
  clamp_shape(self.shape, limits.max_rank, limits.max_elements);
  clamp_dim(c.attributes[kDim], rank(self.shape));
  clamp_shape(index.shape, limits.max_rank, limits.max_elements);
  fit_index(index.shape, self.shape, dim_of(c));
  clamp_fill(self.fill, FillFamily::kValue);
  clamp_fill(index.fill, FillFamily::kIndex);
  Operand& source = c.operands[kSrc];
  if (has_src(c)) {
    source.dtype = self.dtype;
    clamp_shape(source.shape, limits.max_rank, limits.max_elements);
    fit_source(source.shape, index.shape, limits);
    clamp_fill(source.fill, FillFamily::kValue);
  } else {
    clamp_scalar(source, self.dtype);
  }
  if (!reduces(c)) return;
  settle_reduction_fills(reduction_of(c), self, source,
                         is_distinct_along(index, dim_of(c), bound_along_dim(c, kIndexOperand)));
  if (!has_src(c)) settle_whole_number(self, source, reduction_of(c));
}

/// The number that the call was given, in self's dtype.
struct Value {
  explicit Value(const OracleInput& input) {
    const Dtype from = input.c.operands[kValue].dtype, to = input.c.operands[kSelf].dtype;
    convert(from, input.operands[kValue].data, to, bytes, 1);
  }
  alignas(16) std::byte bytes[16];
};

/// Writes self combined with the elements of src, or with the number.
void reduce(const OracleInput& input, std::byte* destination) {
  const Reduction reduction = reduction_of(input.c);
  if (has_src(input.c))
    return reduce_pairs(input, kSrc, reduction, true, scattered_pairs(input), destination);
  static thread_local std::vector<ReducedPair> pairs;
  pairs.clear();
  for_each_along_dim(input.c.operands[kIndexOperand].shape, input.c.operands[kSelf].shape,
                     dim_of(input.c), IndexReader(input, kIndexOperand),
                     [&](std::int64_t, std::int64_t element) {
                       pairs.push_back({element, 0});
                     });
  const Value value(input);
  const LogicalOperand converted[] = {
      input.operands[kSelf], input.operands[kIndexOperand], {value.bytes, 1}};
  reduce_pairs({input.c, converted}, kValue, reduction, true, pairs, destination);
}

void oracle(const OracleInput& input, std::byte* destination) {
  const Case& c = input.c;
  if (reduces(c)) return reduce(input, destination);
  const Operand& self = c.operands[kSelf];
  copy_operand(input, kSelf, destination);
  if (c.overload == kFromValue) {
    const Value value(input);
    move_elements(self.dtype, destination, value.bytes, [&](auto* to, const auto* from) {
      for_each_along_dim(c.operands[kIndexOperand].shape, self.shape, dim_of(c),
                         IndexReader(input, kIndexOperand),
                         [&](std::int64_t, std::int64_t element) { to[element] = *from; });
    });
    return;
  }
  move_elements(
      self.dtype, destination, input.operands[kSrc].data, [&](auto* to, const auto* from) {
        for_each_scattered(input, dim_of(c),
                           [&](std::int64_t element, std::int64_t i) { to[element] = from[i]; });
      });
}

void contributions(const OracleInput& input, ContributionSink sink, void* context) {
  pass_moves(input, kSrc, sink, context,
             [&](auto&& pass) { for_each_scattered(input, dim_of(input.c), pass); });
}

constexpr IllegalRule kRules[] = {
    {1, "index_below", along_dim_rules::index_below},
    {2, "index_above", along_dim_rules::index_above},
    {3, "index_rank", along_dim_rules::index_rank},
    {4, "index_dtype", along_dim_rules::index_dtype},
    {5, "dim_above", dim_above},
    {6, "index_beyond_self", along_dim_rules::index_beyond_self},
    {7, "index_beyond_src",
     [](Case& c) { return has_src(c) && along_dim_rules::index_beyond_src(c); }},
    // Unlike scatter_add, scatter checks src's dtype and overlaps for an empty index, too.
    {8, "src_dtype", [](Case& c) { return has_src(c) && mismatch_dtype(c, kSrc, kSelf); }},
    {9, "src_rank", [](Case& c) { return has_src(c) && along_dim_rules::src_rank(c); }},
    {10, "value_complex",
     [](Case& c) {
       return !has_src(c) && has_indices(c) && make_complex(c, kValue, c.operands[kSelf].dtype);
     }},
    {11, "src_is_written", [](Case& c) { return has_src(c) && share_memory(c, kSrc); }},
    {12, "written_overlaps_itself", overlap_written},
    {13, "out_dtype", change_out_dtype},
    {14, "self_empty", along_dim_rules::self_empty, kByValue | kATenOnly},
    {15, "value_overflows",
     [](Case& c) {
       return !has_src(c) && has_indices(c) && overflow_number(c, kValue, c.operands[kSelf].dtype);
     },
     kATenOnly},
    {16, "index_is_written", [](Case& c) { return share_memory(c, kIndexOperand); }},
    {17, "dim_below", dim_below},
    {18, "index_rank_lower", along_dim_rules::index_rank_lower},
    {19, "src_rank_lower",
     [](Case& c) { return has_src(c) && along_dim_rules::src_rank_lower(c); }},
    {20, "index_dtype_narrow", along_dim_rules::index_dtype_narrow, kATenOnly},
    {21, "reduce_unknown",
     [](Case& c) { return reduces(c) && has_indices(c) && choose_unknown(c, kReduce); }},
};

const OperatorInfo kInfo{
    .number = 13,
    .name = "scatter",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_scatter,
    .result = result_like_self,
    .index_bound = bound_along_dim,
    .table = written_self_along_first_dim,
    .cast_to = [](const Case& c, int) { return c.operands[kSelf].dtype; },
    .oracle = oracle,
    .agreement =
        [](const Case& c) {
          if (reduces(c)) return agreement_of(reduction_of(c));
          return has_src(c) ? Agreement::kAnyContributor : Agreement::kExact;
        },
    .uses = [](const Case& c, int operand) -> std::int64_t {
      const bool each_time = c.overload == kReduceValue && operand == kValue;
      return each_time ? numel(c.operands[kIndexOperand].shape) : 1;
    },
    .contributions = contributions,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
