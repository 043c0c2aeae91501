#include "run/call/gradients.h"

#include <algorithm>

#include "run/call/call_text.h"
#include "run/call/derivative_forms.h"
#include "run/call/gradient_computations.h"

namespace indexfuzz {
namespace {

constexpr PythonArgument kX[] = {{"{self}", "x"}, {"{sparse_grad}", "False"}};
constexpr PythonArgument kTaken[] = {{"{self}", "x"}, {"{indices}", "{index}"}};
constexpr PythonArgument kBags[] = {
    {"{weight}", "x"},
    {"{indices}", "{indices}.reshape(-1)"},
    {"{offsets}", "torch.arange({indices}.numel(), dtype={indices}.dtype)"},
    {"{sparse}", "False"},
    {"{mode}", "{num_weights} % 3"},
    {"{include_last_offset}", "False"},
    {"{padding_idx}", "None if {padding_idx} < 0 else {padding_idx}"}};
constexpr PythonArgument kReduced[] = {
    {"{self}", "torch.full_like({self}, {index}.dim() % 2 if {dim} >= 0 else 0)"},
    {"{src}", "x"},
    {"{reduce}", "('sum', 'prod')[{index}.dim() % 2] if {dim} >= 0 else 'amax'"},
    {"{include_self}", "{dim} >= 0"}};
constexpr PythonArgument kReducedSlices[] = {
    {"{self}", "torch.ones_like({self})"},
    {"{source}", "x"},
    {"{reduce}", "('prod', 'mean')[{self}.dim() % 2] if {dim} >= 0 else 'amax'"},
    {"{include_self}", "{dim} >= 0 and {self}.dim() % 2 == 0"}};
constexpr PythonArgument kParts[] = {
    {"{tensors}",
     "[x if k == 1 else torch.zeros_like(part) for k, part in enumerate({self}.tensor_split("
     "[{start} % ({self}.size({dim}) or 1), {start} % ({self}.size({dim}) or 1) + {length}], "
     "{dim}))]"}};
constexpr PythonArgument kSlice[] = {{"{self}", "torch.zeros_like({self})"},
                                     {"{src}", "x"},
                                     {"{start}", "{start} % ({self}.size({dim}) or 1)"},
                                     {"{end}", "{start} % ({self}.size({dim}) or 1) + {length}"},
                                     {"{step}", "1"}};
constexpr std::string_view kNarrowed = "torch.zeros_like({self}.narrow({dim}, {start}, {length}))";
constexpr PythonArgument kWeight[] = {{"{weight}", "x"}, {"{sparse}", "False"}};
constexpr PythonArgument kIntoZeros[] = {{"{self}", "torch.zeros_like({self})"},
                                         {"{src}", "x"},
                                         {"{source}", "x"},
                                         {"{values}", "x"},
                                         {"{alpha}",
                                          "1 if {self}.dim() % 2 else 2j if {self}.is_complex() "
                                          "else 2"},
                                         {"{accumulate}", "True"}};
constexpr PythonArgument kOneOfTwo[] = {
    {"{self}", "(x, torch.zeros_like(x))[{condition}.dim() % 2]"},
    {"{other}", "(torch.zeros_like(x), x)[{condition}.dim() % 2]"}};
constexpr PythonArgument kIntoBroadcast[] = {
    {"{self}", "torch.zeros_like(torch.broadcast_tensors({self}, {mask})[0])"}, {"{source}", "x"}};

constexpr PythonArgument kBack[] = {{"{self}", "x"}, {"{shift}", "-{shift}"}};

constexpr std::string_view kPartOfSrc =
    "{src}.as_strided(y.shape, ({src}.stride() + y.dim() * (1,))[:y.dim()])";
constexpr std::string_view kAddedToSelf = "torch.stack([{self}, {gradient}]).sum(0)";

constexpr GradientRule kRules[] = {
    {"as_strided_scatter", "vector", "as_strided_scatter", gradients::as_strided_scatter, kX,
     "torch.zeros_like({self})", "{self}",
     "torch.stack([{gradient}, torch.as_strided_scatter(torch.zeros_like({self}), {src}, "
     "({length},), ({stride},), {storage_offset})]).sum(0)",
     gradients::has_even_rank, "{self}.dim() % 2 == 0"},
    {"cat", "", "narrow_copy", gradients::narrow_copy_by_cat, kParts, kNarrowed, "{self}",
     "{gradient}"},
    {"diagonal_scatter", "", "diagonal_scatter", gradients::diagonal_scatter, kX,
     "torch.zeros_like({self})", "{self}",
     "torch.stack([{gradient}, torch.diagonal_scatter(torch.zeros_like({self}), {src}, {offset}, "
     "{dim1}, {dim2})]).sum(0)",
     gradients::has_odd_rank, "{self}.dim() % 2"},
    {"embedding", "", "embedding_dense_backward", gradients::embedding_dense_backward, kWeight,
     "{grad_output}.new_zeros({num_weights}, {grad_output}.size(-1))",
     "{grad_output}.reshape(y.shape)", "{gradient}"},
    {"embedding_bag", "padded", "embedding_dense_backward",
     gradients::embedding_dense_backward_by_bags, kBags,
     "{grad_output}.new_zeros({num_weights}, {grad_output}.size(-1))",
     "{grad_output}.reshape(y.shape)", "{gradient}"},
    {"flip", "", "flip", gradients::flip, kX, "torch.zeros_like({self})", "{self}", "{gradient}"},
    {"gather", "", "scatter_add", gradients::scatter_add, kX, "{self}", kPartOfSrc, kAddedToSelf},
    {"index", "Tensor", "index_put", gradients::index_put, kX, "{self}",
     "{values}.to(y.device).expand(y.shape)", kAddedToSelf},
    {"index_add", "", "index_select", gradients::index_select, kIntoZeros,
     "torch.zeros_like({self}.index_select({dim}, {index}))",
     "{self} if {self}.dim() % 2 else {self} * .5j if {self}.is_complex() else {self} / 2",
     "{gradient}"},
    {"index_fill", "int_Scalar", "index_fill", gradients::index_fill, kX,
     "torch.zeros_like({self})", "{self}",
     "torch.stack([{gradient}, torch.zeros_like({self}).index_fill({dim}, {index}, {value})])"
     ".sum(0)"},
    {"index_put", "", "index", gradients::index, kIntoZeros,
     "torch.zeros_like(torch.ops.aten.index({self}, {indices}))", "{self}", "{gradient}"},
    {"index_reduce", "", "index_select", gradients::index_select_by_reduction, kReducedSlices,
     "torch.ones_like({self}.index_select({dim}, {index}))", "{self}", "{gradient}"},
    {"index_select", "", "index_add", gradients::index_add, kX, "{self}",
     "({source} if {alpha} == 1 else {source} * {alpha}).reshape(y.shape)", kAddedToSelf},
    {"masked_fill", "Scalar", "masked_fill", gradients::masked_fill, kX,
     "torch.zeros_like(torch.broadcast_tensors({self}, {mask})[0])", "{self}.expand(y.shape)",
     "torch.stack([{gradient}, torch.zeros_like(torch.broadcast_tensors({self}, {mask})[0])"
     ".masked_fill({mask}, {value})]).sum(0)",
     gradients::masked_fill_broadcasts,
     "{self}.shape != torch.broadcast_tensors({self}, {mask})[0].shape"},
    {"masked_scatter", "", "masked_select", gradients::masked_select, kIntoBroadcast,
     "{self}.new_zeros(int(torch.broadcast_tensors({self}, {mask})[1].sum()))",
     "torch.broadcast_tensors({self}, {mask})[0]", "{gradient}"},
    {"masked_select", "", "masked_scatter", gradients::masked_scatter, kX,
     "torch.broadcast_tensors({self}, {mask})[0]", "{source}.reshape(-1)[:y.numel()]",
     "torch.where({mask}, {gradient}, {self})"},
    {"put", "", "take", gradients::take, kIntoZeros, "{self}.new_zeros({index}.shape)", "{self}",
     "{gradient}"},
    {"reflection_pad1d", "", "reflection_pad1d_backward", gradients::padding_backward, kX, "{self}",
     "{grad_output}.reshape(y.shape)", "{gradient}"},
    {"reflection_pad2d", "", "reflection_pad2d_backward", gradients::padding_backward, kX, "{self}",
     "{grad_output}.reshape(y.shape)", "{gradient}"},
    {"reflection_pad3d", "", "reflection_pad3d_backward", gradients::padding_backward, kX, "{self}",
     "{grad_output}.reshape(y.shape)", "{gradient}"},
    {"replication_pad1d", "", "replication_pad1d_backward", gradients::padding_backward, kX,
     "{self}", "{grad_output}.reshape(y.shape)", "{gradient}"},
    {"replication_pad2d", "", "replication_pad2d_backward", gradients::padding_backward, kX,
     "{self}", "{grad_output}.reshape(y.shape)", "{gradient}"},
    {"replication_pad3d", "", "replication_pad3d_backward", gradients::padding_backward, kX,
     "{self}", "{grad_output}.reshape(y.shape)", "{gradient}"},
    {"roll", "flat", "roll", gradients::roll, kBack, "torch.zeros_like({self})", "{self}",
     "{gradient}"},
    {"scatter_add", "", "gather", gradients::gather, kIntoZeros, "{self}.new_zeros({index}.shape)",
     "{self}", "{gradient}"},
    {"scatter_reduce", "", "gather", gradients::gather_by_reduction, kReduced,
     "{self}.new_full({index}.shape, {index}.dim() % 2 if {dim} >= 0 else 0)", "{self}",
     "{gradient}"},
    {"select_scatter", "", "select_scatter", gradients::select_scatter, kX,
     "torch.zeros_like({self})", "{self}",
     "torch.stack([{gradient}, torch.select_scatter(torch.zeros_like({self}), {src}, {dim}, "
     "{index})]).sum(0)",
     gradients::has_odd_rank, "{self}.dim() % 2"},
    {"slice_scatter", "", "narrow_copy", gradients::narrow_copy_by_slice_scatter, kSlice, kNarrowed,
     "{self}", "{gradient}"},
    {"take", "", "put", gradients::put, kX, "{self}", "{source}.reshape(y.shape)", kAddedToSelf},
    {"take_along_dim", "", "scatter_add", gradients::scatter_add_by_taking, kTaken, "{self}",
     kPartOfSrc, kAddedToSelf},
    {"tril", "", "tril", gradients::triangle, kX, "torch.zeros_like({self})", "{self}",
     "{gradient}"},
    {"triu", "", "triu", gradients::triangle, kX, "torch.zeros_like({self})", "{self}",
     "{gradient}"},
    {"where", "self", "where", gradients::where, kOneOfTwo,
     "torch.zeros_like(torch.broadcast_tensors({condition}, {self}, {other})[1])",
     "({self}, {other})[{condition}.dim() % 2].expand(y.shape)",
     "torch.stack([{gradient}, torch.where({condition}.bool(), *(torch.zeros_like({self}), "
     "{other}) if {condition}.dim() % 2 == 0 else ({self}, torch.zeros_like({other})))]).sum(0)",
     gradients::where_broadcasts,
     "{self}.shape != {other}.shape or {self}.numel() < {condition}.numel()"},
};

/// A template with the placeholders that `arguments` names replaced.
std::string with_arguments(std::string_view text, std::span<const PythonArgument> arguments) {
  std::string result;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find('{'), text.size());
    result += text.substr(0, begin);
    text.remove_prefix(begin);
    const std::size_t end = text.find('}');
    std::string_view placeholder = text.substr(0, end == std::string::npos ? end : end + 1);
    const auto found = std::ranges::find_if(arguments, [&](const PythonArgument& argument) {
      return text.starts_with(argument.placeholder);
    });
    if (found != arguments.end()) placeholder = found->placeholder;
    result += found == arguments.end() ? placeholder : found->text;
    text.remove_prefix(placeholder.size());
  }
  return result;
}

}  // namespace

std::span<const GradientRule> gradient_rules() {
  return kRules;
}

std::string gradient_python(const GradientRule& rule, const Plan& call) {
  const std::string of = with_arguments(python_call(call), rule.python_arguments);
  const std::string gradient = "gradient_of(lambda x: " + of + ", " + std::string(rule.python_x) +
                               ", lambda y: " + std::string(rule.python_grad) + ")";
  const PythonArgument whole{"{gradient}", gradient};
  const std::string by_rule = with_arguments(rule.python_result, std::span(&whole, 1));
  if (rule.by_all == nullptr) return by_rule;
  return "(" + backward_python(call, python_call(call)) + " if " + std::string(rule.python_by_all) +
         " else " + by_rule + ")";
}

}  // namespace indexfuzz
