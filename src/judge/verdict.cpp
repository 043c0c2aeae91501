#include "judge/verdict.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "case/dtype.h"
#include "case/strings/printable.h"

namespace indexfuzz {
namespace {

constexpr std::array<std::string_view, kKindCount> kKinds{
    "crash",  "hang",     "oom",   "memory",         "input", "accept", "refusal",
    "assert", "metadata", "value", "nondeterminism", "leak",  "device", "gradient"};
static_assert(!kKinds.back().empty(), "every kind has a name");

/// Whether the word names a dtype in PyTorch's errors ("expected scalar type Long").
bool names_dtype(std::string_view word) {
  constexpr std::string_view kPrefix = "at::k";
  return std::ranges::any_of(
      kDtypeInfo, [&](const DtypeInfo& dtype) { return dtype.cpp.substr(kPrefix.size()) == word; });
}

/// The length of the type of a tensor in Python, such as "torch.cuda.LongTensor", at the front of
/// `text`; 0 if there is none.
std::size_t length_of_python_type(std::string_view text) {
  constexpr std::string_view kTorch = "torch.", kOnGpu = "cuda.", kTensor = "Tensor";
  if (!text.starts_with(kTorch)) return 0;
  std::size_t begin = kTorch.size();
  if (text.substr(begin).starts_with(kOnGpu)) begin += kOnGpu.size();
  const std::size_t end = text.find(kTensor, begin);
  const bool is_type =
      end != std::string_view::npos && names_dtype(text.substr(begin, end - begin));
  return is_type ? end + kTensor.size() : 0;
}

/// The length of the word at the front of `text` if it names a dtype, alone or as the type of a
/// tensor ("CUDALongType"); else 0.
std::size_t length_of_dtype(std::string_view text) {
  if (const std::size_t length = length_of_python_type(text); length > 0) return length;
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_part) - text.begin());
  const std::string_view word = text.substr(0, end);
  if (word.ends_with("Type") && (word.starts_with("CUDA") || word.starts_with("CPU"))) return end;
  return names_dtype(word) ? end : 0;
}

/// The length of the lists of numbers at the front of `text` that follow another one:
/// ", [2, 3], [4]". The last one may be cut off.
std::size_t length_of_lists(std::string_view text) {
  constexpr std::string_view kNext = ", [";
  std::size_t length = 0;
  while (text.substr(length).starts_with(kNext)) {
    const std::size_t end = text.find_first_not_of("0123456789, -#", length + kNext.size());
    if (end == std::string_view::npos) return text.size();
    if (text[end] != ']') break;
    length = end + 1;
  }
  return length;
}

/// Passes the message's general form to `put`, character by character.
template <typename Put>
void generalize(std::string_view message, Put put) {
  for (std::size_t i = 0; i < message.size(); ++i) {
    const auto is_digit = [&](std::size_t at) {
      return at < message.size() && std::isdigit(static_cast<unsigned char>(message[at])) != 0;
    };
    const auto is_number = [&](std::size_t at) {
      return is_digit(at) || (at < message.size() && message[at] == '-' && is_digit(at + 1));
    };
    const bool begins = i == 0 || (std::isalnum(static_cast<unsigned char>(message[i - 1])) == 0 &&
                                   message[i - 1] != '_');
    if (const std::size_t dtype = begins ? length_of_dtype(message.substr(i)) : 0; dtype != 0) {
      put('T');
      i += dtype - 1;
      continue;
    }
    if (!is_number(i)) {
      put(message[i]);
      if (message[i] == ']') i += length_of_lists(message.substr(i + 1));
      continue;
    }
    while (
        i + 1 < message.size() &&
        (is_number(i + 1) || ((message[i + 1] == ',' || message[i + 1] == ' ') &&
                              (is_number(i + 2) || (message[i + 1] == ',' && is_number(i + 3)))))) {
      ++i;
    }
    put('#');
  }
}

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

std::string general_form(std::string_view message) {
  std::string form;
  generalize(message, [&](char c) { form += c; });
  return form;
}

std::uint32_t error_class(std::string_view message) {
  // FNV-1a.
  std::uint32_t hash = 2166136261u;
  generalize(message, [&](char c) { hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u; });
  return hash == 0 ? 1 : hash;
}

bool ends_process(const Verdict& verdict) {
  if (verdict.status != Status::kFinding) return false;
  switch (verdict.kind) {
    case Kind::kCrash:
    case Kind::kHang:
    case Kind::kOom:
    case Kind::kDevice: return true;
    case Kind::kMemory:
    case Kind::kInput: return verdict.signal != 0;
    case Kind::kAccept:
    case Kind::kRefusal:
    case Kind::kAssert:
    case Kind::kMetadata:
    case Kind::kValue:
    case Kind::kNondeterminism:
    case Kind::kLeak:
    case Kind::kGradient: return false;
  }
  return false;
}

Verdict sound(Verdict verdict, std::size_t operands) {
  verdict.status = std::min(verdict.status, Status::kFinding);
  verdict.kind = std::min(verdict.kind, Kind::kGradient);
  if (verdict.operand < 0 || static_cast<std::size_t>(verdict.operand) >= operands)
    verdict.operand = -1;
  verdict.value_bytes =
      std::min(verdict.value_bytes, static_cast<std::uint8_t>(verdict.expected.size()));
  std::uint8_t took_before = 0;  // a bool that is neither true nor false must not be read
  std::memcpy(&took_before, &verdict.took_before, 1);
  verdict.took_before = took_before != 0;
  verdict.signal = std::clamp<std::int8_t>(verdict.signal, 0, 64);
  verdict.message.back() = '\0';
  return verdict;
}

std::string_view own_words(std::string_view message) {
  if (message.starts_with(kRefusedByContents)) message.remove_prefix(kRefusedByContents.size());
  return message;
}

std::uint32_t class_of_message(std::string_view message) {
  return error_class(own_words(message));
}

void set_message(Verdict& verdict, std::string_view text) {
  text = text.substr(0, text.find('\n'));
  const auto is_plain = [](char letter) { return letter >= ' ' && letter <= '~'; };
  std::string clean;  // used only for messages with other characters, which are rare
  if (!std::ranges::all_of(text, is_plain)) text = clean = printable(text);
  verdict.message.fill('\0');
  std::ranges::copy(beginning(text, verdict.message.size() - 1), verdict.message.begin());
}

Verdict no_finding(Status status, std::string_view message) {
  Verdict verdict;
  verdict.status = status;
  set_message(verdict, message);
  return verdict;
}

Verdict finding(Kind kind, int operand, std::string_view message) {
  Verdict verdict;
  verdict.status = Status::kFinding;
  verdict.kind = kind;
  verdict.operand = static_cast<std::int8_t>(operand);
  set_message(verdict, message);
  return verdict;
}

Verdict finding_by_message(Kind kind, int operand, std::string_view message) {
  Verdict verdict = finding(kind, operand, message);
  verdict.error_class = error_class(verdict.message.data());
  return verdict;
}

Verdict stopped_taking(const Verdict& refused) {
  Verdict verdict = finding_by_message(Kind::kRefusal, -1, refused.message.data());
  verdict.took_before = true;
  return verdict;
}

Verdict refused_by_contents(const Verdict& refused) {
  Verdict verdict = finding(Kind::kRefusal, -1,
                            std::string(kRefusedByContents) + std::string(refused.message.data()));
  verdict.error_class = class_of_message(verdict.message.data());
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
