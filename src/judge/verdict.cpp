#include "judge/verdict.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace indexfuzz {
namespace {

constexpr std::array<std::string_view, 14> kKinds{
    "crash",  "hang",     "oom",   "memory",         "input", "accept", "refusal",
    "assert", "metadata", "value", "nondeterminism", "leak",  "device", "gradient"};

}  // namespace

std::string_view name(Kind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

std::optional<Kind> kind_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i] == name) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

namespace {

/// How long the name of a dtype at the front of `text` is, as PyTorch's errors print tensors
/// ("CUDALongType"); 0 where there is none.
std::size_t length_of_tensor_type(std::string_view text) {
  constexpr std::string_view kEnd = "Type";
  if (!text.starts_with("CUDA") && !text.starts_with("CPU")) return 0;
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_part) - text.begin());
  return text.substr(0, end).ends_with(kEnd) ? end : 0;
}

}  // namespace

std::uint32_t error_class(std::string_view message) {
  // FNV-1a; a run of digits, a minus sign before it, a list of such runs ("[2, 3]") and a tensor's
  // type are one mark each, so that neither the sizes nor the rank nor the dtype of a case makes
  // another class.
  std::uint32_t hash = 2166136261u;
  auto add = [&](char c) { hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u; };
  for (std::size_t i = 0; i < message.size(); ++i) {
    const auto is_number = [&](std::size_t at) {
      return at < message.size() &&
             (std::isdigit(static_cast<unsigned char>(message[at])) != 0 || message[at] == '-');
    };
    if (const std::size_t type = length_of_tensor_type(message.substr(i)); type != 0) {
      add('T');
      i += type - 1;
      continue;
    }
    if (!is_number(i)) {
      add(message[i]);
      continue;
    }
    while (
        i + 1 < message.size() &&
        (is_number(i + 1) || ((message[i + 1] == ',' || message[i + 1] == ' ') &&
                              (is_number(i + 2) || (message[i + 1] == ',' && is_number(i + 3)))))) {
      ++i;
    }
    add('#');
  }
  return hash == 0 ? 1 : hash;
}

void set_message(Verdict& verdict, std::string_view text) {
  text = text.substr(0, std::min(text.find('\n'), verdict.message.size() - 1));
  verdict.message.fill('\0');
  std::ranges::copy(text, verdict.message.begin());
}

Verdict finding(Kind kind, int operand, std::string_view message) {
  Verdict verdict;
  verdict.status = Status::kFinding;
  verdict.kind = kind;
  verdict.operand = static_cast<std::int8_t>(operand);
  set_message(verdict, message);
  return verdict;
}

void note_element(Verdict& verdict, std::int64_t element, std::size_t bytes,
                  const std::byte* expected, const std::byte* actual) {
  if (verdict.wrong_elements++ > 0) return;
  verdict.element = element;
  verdict.value_bytes = static_cast<std::uint8_t>(bytes);
  std::memcpy(verdict.expected.data(), expected, bytes);
  std::memcpy(verdict.actual.data(), actual, bytes);
}

}  // namespace indexfuzz
