#include "judge/fresh_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "case/broadcast.h"
#include "case/number.h"
#include "case/strided_copy.h"
#include "case/walk.h"

namespace indexfuzz {
namespace {

/// Whether two elements of a tensor within its storage share memory.
bool overlaps(const ReturnedTensor& tensor) {
  // Sorted by stride, each dimension must step over all that the ones before it reach.
  boost::container::static_vector<std::pair<std::int64_t, std::int64_t>, kMaxDims> dims;
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    if (tensor.shape[d] == 0) return false;
    if (tensor.shape[d] > 1) dims.emplace_back(tensor.strides[d], tensor.shape[d]);
  }
  std::ranges::sort(dims);
  std::int64_t reach = 0;
  bool is_nested = true;
  for (const auto& [stride, size] : dims) {
    is_nested = is_nested && stride > reach;
    reach += stride * (size - 1);
  }
  if (is_nested) return false;
  // Sizes (2, 3) with strides (3, 2) interleave without overlap: only visiting each element tells.
  std::vector<bool> taken(static_cast<std::size_t>(reach + 1));
  bool meet = false;
  for_each_element(
      tensor.shape,
      [&](std::int64_t, std::int64_t offset) {
        const auto at = static_cast<std::size_t>(offset);
        meet |= taken[at];
        taken[at] = true;
      },
      tensor.strides);
  return meet;
}

}  // namespace

std::int64_t extent_bytes(const ReturnedTensor& tensor) {
  if (std::ranges::find(tensor.shape, 0) != tensor.shape.end()) return 0;
  // A kernel may have given it any strides.
  std::int64_t elements = 1, bytes = 0;
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    std::int64_t reach = 0;
    if (tensor.strides[d] < 0 ||
        __builtin_mul_overflow(tensor.shape[d] - 1, tensor.strides[d], &reach) ||
        __builtin_add_overflow(elements, reach, &elements))
      return -1;
  }
  const bool fits =
      !__builtin_mul_overflow(elements, static_cast<std::int64_t>(item_size(tensor.dtype)), &bytes);
  return fits ? bytes : -1;
}

bool lies_within_storage(const ReturnedTensor& tensor) {
  const std::int64_t bytes = extent_bytes(tensor);
  return bytes == 0 || (bytes > 0 && tensor.data != nullptr && tensor.data >= tensor.storage &&
                        tensor.data + bytes <= tensor.storage + tensor.storage_bytes);
}

std::optional<Verdict> judge_flags(const ReturnedTensor& tensor, int operand) {
  if (tensor.requires_grad)
    return finding(Kind::kMetadata, operand, "the result requires a gradient");
  if (tensor.is_inference)
    return finding(Kind::kMetadata, operand, "the result is an inference tensor");
  return std::nullopt;
}

std::optional<Verdict> judge_description(const ResultSpec& expected, const ReturnedTensor& tensor,
                                         int operand) {
  if (!tensor.defined)
    return finding(Kind::kMetadata, operand, "the result is an undefined tensor");
  if (!tensor.on_device)
    return finding(Kind::kMetadata, operand, "the result is on another device");
  if (!tensor.dtype_known || tensor.dtype != expected.dtype) {
    return finding(Kind::kMetadata, operand,
                   std::string(kWrongDtype) +
                       (tensor.dtype_known ? std::string(info(tensor.dtype).name) : "unknown") +
                       ", expected " + std::string(info(expected.dtype).name));
  }
  if (tensor.rank != rank(expected.shape) || tensor.shape != expected.shape) {
    return finding(Kind::kMetadata, operand,
                   fmt::format("{}({}), expected ({})", kWrongShape, fmt::join(tensor.shape, ", "),
                               fmt::join(expected.shape, ", ")));
  }
  if (!lies_within_storage(tensor))
    return finding(Kind::kMetadata, operand, "the result reaches beyond its storage");
  if (overlaps(tensor))
    return finding(Kind::kMetadata, operand, "elements of the result share memory");
  return judge_flags(tensor, operand);
}

bool holds_broadcast_result(const Arena& arena, const ReturnedTensor& tensor,
                            Admissible& admissible) {
  const ResultSpec& expected = arena.result();
  if (!tensor.defined || !tensor.on_device || !tensor.dtype_known ||
      tensor.dtype != expected.dtype || tensor.rank != rank(tensor.shape) ||
      rank(expected.shape) > tensor.rank ||
      broadcast_shape(expected.shape, tensor.shape) != tensor.shape ||
      !lies_within_storage(tensor)) {
    return false;
  }
  const auto size = static_cast<std::int64_t>(item_size(expected.dtype));
  bool right = true;
  for_each_element(
      tensor.shape,
      [&](std::int64_t, std::int64_t from, std::int64_t at) {
        const std::byte* got = tensor.data + at * size;
        const std::byte* want = arena.expected() + from * size;
        right =
            right && (same_number(expected.dtype, want, got) || admissible.holds(from, want, got));
      },
      broadcast_strides(expected.shape, tensor.rank), tensor.strides);
  return right;
}

std::optional<Verdict> judge_fresh(const Arena& arena, const ReturnedTensor& tensor, int operand,
                                   Admissible& admissible) {
  const ResultSpec& expected = arena.result();
  if (auto wrong = judge_description(expected, tensor, operand)) return wrong;
  const auto size = static_cast<std::int64_t>(item_size(expected.dtype));
  if (equal_elements(expected.shape, tensor.strides, static_cast<std::size_t>(size),
                     arena.expected(), tensor.data)) {
    return std::nullopt;
  }
  Verdict verdict = finding(Kind::kValue, operand, "");
  for_each_element(
      expected.shape,
      [&](std::int64_t i, std::int64_t at) {
        const std::byte* want = arena.expected() + i * size;
        const std::byte* got = tensor.data + at * size;
        if (same_number(expected.dtype, want, got) || admissible.holds(i, want, got)) return;
        note_element(verdict, i, static_cast<std::size_t>(size), want, got);
      },
      tensor.strides);
  if (verdict.wrong_elements == 0) return std::nullopt;
  return verdict;
}

}  // namespace indexfuzz
