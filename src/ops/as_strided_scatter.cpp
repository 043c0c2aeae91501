// as_strided_scatter(self, src, size, stride, storage_offset): a copy of self in which src takes
// the place of the elements that self.as_strided(size, stride, storage_offset) would show.
// https://pytorch.org/docs/stable/generated/torch.as_strided_scatter.html
//
// Agreement: elements are only moved; where several places of the view are the same element, any of
// their values may win, and not the same one in each call: PyTorch promises nothing of writes to
// such a view (https://pytorch.org/docs/stable/generated/torch.as_strided.html). The places count
// in self's storage. Self is contiguous and, if a storage offset is given, begins where its storage
// does, so that they count in self: what else a storage holds is of no use to anyone, and PyTorch
// does not keep it for a self whose elements share memory. No storage offset means that of self. A
// view of no elements may lie anywhere. src has the view's shape; one of another dtype, of which
// nothing is documented, is not drawn.
//
// There is no rule against an out that is an input: the out= form computes the whole result before
// it writes it.

#include <algorithm>
#include <array>
#include <span>

#include "case/walk.h"
#include "ops/definition/operator.h"
#include "ops/families/embedded_view.h"
#include "ops/families/moves.h"
#include "ops/illegal/chance.h"
#include "ops/repair/clamp.h"

namespace indexfuzz {
namespace {

constexpr int kSelf = 0;

constexpr AttributeSpec kVectorAttributes[] = {{"length", AttributeType::kSize},
                                               {"stride", AttributeType::kStep},
                                               {"storage_offset", AttributeType::kOptionalPlace}};
constexpr AttributeSpec kMatrixAttributes[] = {{"rows", AttributeType::kSize},
                                               {"columns", AttributeType::kSize},
                                               {"row_stride", AttributeType::kStep},
                                               {"column_stride", AttributeType::kStep},
                                               {"storage_offset", AttributeType::kOptionalPlace}};

/// (self, src, size, stride, storage_offset), of a view of so many dimensions.
template <std::uint8_t kDims>
constexpr Parameter kParameters[] = {operand(kSelf), operand(embedded_view::kSrc),
                                     attribute_list(0, kDims, "size"),
                                     attribute_list(kDims, kDims, "stride"), attribute(2 * kDims)};

constexpr Form kVectorForms[] = {
    {Variant::kFunctional, "as_strided_scatter", "",
     "torch.as_strided_scatter({self}, {src}, ({length},), ({stride},), {storage_offset})",
     "at::as_strided_scatter({self}, {src}, {{length}}, {{stride}}, {storage_offset})"},
    {Variant::kOut, "as_strided_scatter", "out",
     "torch.ops.aten.as_strided_scatter.out({self}, {src}, [{length}], [{stride}], "
     "{storage_offset}, out={out})",
     "at::as_strided_scatter_out({out}, {self}, {src}, {{length}}, {{stride}}, {storage_offset})"},
};
constexpr Form kMatrixForms[] = {
    {Variant::kFunctional, "as_strided_scatter", "",
     "torch.as_strided_scatter({self}, {src}, ({rows}, {columns}), ({row_stride}, "
     "{column_stride}), {storage_offset})",
     "at::as_strided_scatter({self}, {src}, {{rows}, {columns}}, {{row_stride}, "
     "{column_stride}}, {storage_offset})"},
    {Variant::kOut, "as_strided_scatter", "out",
     "torch.ops.aten.as_strided_scatter.out({self}, {src}, [{rows}, {columns}], [{row_stride}, "
     "{column_stride}], {storage_offset}, out={out})",
     "at::as_strided_scatter_out({out}, {self}, {src}, {{rows}, {columns}}, {{row_stride}, "
     "{column_stride}}, {storage_offset})"},
};
constexpr Overload kOverloads[] = {
    {"vector", kEmbeddedViewOperands, kVectorAttributes, kParameters<1>, kVectorForms},
    {"matrix", kEmbeddedViewOperands, kMatrixAttributes, kParameters<2>, kMatrixForms},
};

/// The attributes of a case.
template <typename Number>
struct ViewAttributes {
  std::span<Number> sizes, strides;
  Number& storage_offset;
};
template <typename C>
auto view_attributes(C& c) {
  const std::size_t dims = overload_of(c).attributes.size() / 2;
  const auto all = std::span(c.attributes);
  return ViewAttributes{all.first(dims), all.subspan(dims, dims), all[2 * dims]};
}

/// The elements that are replaced.
DenseView view_of(const Case& c) {
  const auto [sizes, strides, storage_offset] = view_attributes(c);
  DenseView view{Dims(sizes.begin(), sizes.end()), Dims(strides.begin(), strides.end())};
  // The stride of a single element is not looked at, and may be any number.
  for (std::size_t d = 0; d < view.shape.size(); ++d)
    if (view.shape[d] <= 1) view.strides[d] = 0;
  if (storage_offset != kNoInt) view.first = storage_offset;
  return view;
}

/// The number itself if it is at most `most`, else one from 1 to `most`.
std::int64_t folded(std::int64_t number, std::int64_t most) {
  number = std::max<std::int64_t>(number, 0);
  return number <= most ? number : 1 + number % most;
}

/// At the right end of its memory a tensor begins behind the start of its storage.
void begin_with_storage(Operand& self) {
  self.layout.offset = 0;
  self.guard = Guard::kLeft;
}

void repair_as_strided_scatter(Case& c, const Limits& limits) {
  repair_embedded(c, limits, 0);
  Operand& self = c.operands[kSelf];
  const auto [sizes, strides, storage_offset] = view_attributes(c);
  const std::int16_t own_offset = self.layout.offset;
  make_contiguous(self.layout, rank(self.shape));
  if (storage_offset == kNoInt)
    self.layout.offset = own_offset;
  else
    begin_with_storage(self);
  const std::int64_t count = numel(self.shape);
  std::int64_t room = count - 1;  // elements behind the first of the view
  if (storage_offset != kNoInt) {
    clamp_any_int(storage_offset);
    storage_offset = std::abs(storage_offset) % std::max<std::int64_t>(count, 1);
    room -= storage_offset;
  }
  if (count == 0) sizes.front() = 0;
  std::int64_t elements = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    clamp_any_int(strides[d]);
    strides[d] = std::max<std::int64_t>(std::abs(strides[d]), 1);
    const std::int64_t most =
        std::min(std::max<std::int64_t>(room, 0) / strides[d] + 1, limits.max_elements / elements);
    sizes[d] = folded(sizes[d], most);
    if (sizes[d] <= 1) continue;
    elements *= sizes[d];
    room -= (sizes[d] - 1) * strides[d];
  }
  c.operands[embedded_view::kSrc].shape = Dims(sizes.begin(), sizes.end());
}

void oracle(const OracleInput& input, std::byte* destination) {
  write_embedded(input, view_of(input.c), destination);
}

void contributions(const OracleInput& input, ContributionSink sink, void* context) {
  const DenseView view = view_of(input.c);
  pass_moves(input, embedded_view::kSrc, sink, context, [&](auto&& pass) {
    for_each_element(
        view.shape, [&](std::int64_t i, std::int64_t offset) { pass(view.first + offset, i); },
        view.strides);
  });
}

/// Moves the view, which must have elements, so that its last one is so many behind self's last.
bool put_beyond(Case& c, std::int64_t distance) {
  const DenseView view = view_of(c);
  if (numel(view.shape) == 0) return false;
  std::int64_t extent = 0;
  for (std::size_t d = 0; d < view.shape.size(); ++d)
    extent += (view.shape[d] - 1) * view.strides[d];
  begin_with_storage(c.operands[kSelf]);
  view_attributes(c).storage_offset = numel(c.operands[kSelf].shape) - 1 - extent + distance;
  return true;
}
/// Gives a dimension of the view in which it has several elements another stride.
bool set_stride(Case& c, std::int64_t stride) {
  const auto [sizes, strides, storage_offset] = view_attributes(c);
  const auto wide = std::ranges::find_if(sizes, [](std::int64_t size) { return size > 1; });
  if (wide == sizes.end() || numel(view_of(c).shape) == 0) return false;
  strides[static_cast<std::size_t>(wide - sizes.begin())] = stride;
  return true;
}

constexpr auto kRules = with_common_rules({
    {1, "view_beyond", [](Case& c) { return put_beyond(c, 1); }},
    {2, "view_far_beyond",
     [](Case& c) {
       constexpr std::array<std::int64_t, 4> kFar{1ll << 31, 1ll << 60, 1ll << 62, 1ll << 61};
       return put_beyond(c, kFar[chance_of(c) % kFar.size()]);
     }},
    {3, "view_below",
     [](Case& c) {
       view_attributes(c).storage_offset = -1;
       return numel(view_of(c).shape) > 0;
     }},
    // A negative stride, and several writes to an element, make sense by themselves.
    {4, "stride_below", [](Case& c) { return set_stride(c, -1); }, kATenOnly},
    {5, "stride_zero", [](Case& c) { return set_stride(c, 0); }, kATenOnly},
});

const OperatorInfo kInfo{
    .number = 46,
    .name = "as_strided_scatter",
    .overloads = kOverloads,
    .rules = kRules,
    .repair = repair_as_strided_scatter,
    .result = result_like_self,
    .oracle = oracle,
    .agreement = always<Agreement::kAnyContributor>,
    .may_change = true,
    .contributions = contributions,
};
const RegisterOperator kRegister(kInfo);

}  // namespace
}  // namespace indexfuzz
