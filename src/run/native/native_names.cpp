#include "run/native/native_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace indexfuzz {
namespace {

constexpr std::array<std::string_view, 31> kWords{
    "index",    "scatter",   "gather",   "masked",     "take",        "put",          "nonzero",
    "where",    "embedding", "tril",     "triu",       "interleave",  "flip",         "narrow",
    "cat",      "stack",     "unpool",   "reflection", "replication", "searchsorted", "bucketize",
    "bincount", "roll",      "adaptive", "fractional", "segment",     "constant_pad", "sort",
    "topk",     "cummax",    "cummin"};
// Parts of names, which occur in the code of some operators; all of pooling, or all that unfolds,
// would be too much.
constexpr std::array<std::string_view, 10> kParts{"max_pool2d_kernel",
                                                  "max_pool3d_kernel",
                                                  "cpu_max_pool",
                                                  "with_indices",
                                                  "max_pool2d_backward",
                                                  "max_pool3d_backward",
                                                  "max_pool_backward",
                                                  "unfold_backward",
                                                  "im2col",
                                                  "col2im"};

// Words for what no case has: tensors that are not strided or not on the CPU, names of dimensions.
constexpr std::array<std::string_view, 7> kNeverDrawn{"sparse", "quantized", "nested", "mkldnn",
                                                      "csr",    "cuda",      "dimname"};

// Words in the names of code that only these operators run.
constexpr std::array<std::string_view, 4> kReductions{"mean", "multiply", "maximum", "minimum"};
constexpr std::array<std::string_view, 2> kReducing{"scatter_reduce", "index_reduce"};
// Most of pooling indexes nothing: only code that bears an operator's name counts.
constexpr std::array<std::string_view, 3> kPooling{"adaptive", "fractional", "pool"};
// The kernels of two operators and of their gradients, which do not bear their names.
constexpr std::array<std::string_view, 4> kKernelsOfMaxPools{
    "max_pool2d_kernel_impl", "max_pool3d_kernel_impl", "cpu_max_pool",
    "cpu_max_pool_channels_last"};
constexpr std::array<std::string_view, 2> kMaxPools{"max_pool2d_with_indices",
                                                    "max_pool3d_with_indices"};
constexpr std::array<std::string_view, 4> kKernelsOfGradients{
    "max_pool2d_backward_kernel_impl", "max_pool3d_backward_kernel_impl", "cpu_max_pool_backward",
    "cpu_max_pool_backward_channels_last"};
constexpr std::array<std::string_view, 2> kGradients{"max_pool2d_with_indices_backward",
                                                     "max_pool3d_with_indices_backward"};
// A kernel whose name goes on behind its operator's.
constexpr std::string_view kParallelSort = "parallel_sort1d_kernel";
constexpr std::array<std::string_view, 1> kSorting{"sort"};
// What two operators share bears the names of both.
constexpr std::string_view kRunning = "cummax_cummin_helper";
constexpr std::array<std::string_view, 2> kRunningOnes{"cummax", "cummin"};
constexpr std::array<std::string_view, 1> kBags{"bag"};
constexpr std::array<std::string_view, 1> kBagging{"embedding_bag"};

// Parts of other code, which their names do not show: of upsampling and grid sampling, of recurrent
// networks, of quantized tensors, of tensors that are given other dimensions, and of kernels on
// GPUs.
constexpr std::array<std::string_view, 10> kPartsOfOthers{
    "HelperInterpBase::_compute_index_ranges_weights",
    "HelperInterpBase::_compute_index_ranges_int16_weights",
    "compute_source_index_and_lambda",
    "guard_index_and_lambda",
    "mask_scatter_add",
    "gather_params",
    "make_index_put_iterator",
    "QEmbedding::run",
    "_sort_dims",
    "canUse32BitIndexMath"};
// Parts of embedding_bag that are named after index_select.
constexpr std::array<std::string_view, 2> kPartsOfBags{"is_fast_path_index_select",
                                                       "is_fast_path_index_select_scale"};

constexpr std::string_view kNamespace = "at::native::";
constexpr std::string_view kAnonymous = "(anonymous namespace)";

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_identifier(char c) {
  return is_upper(c) || is_lower(c) || (c >= '0' && c <= '9') || c == '_';
}
char lower(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Whether one of `words` occurs in the text between anything but letters, or as "Word" in a name
/// like OneWordOfIt.
bool has_word(std::string_view text, std::span<const std::string_view> words) {
  for (std::size_t begin = 0; begin < text.size();) {
    if (!is_lower(lower(text[begin]))) {
      ++begin;
      continue;
    }
    std::size_t end = begin + 1;
    while (end < text.size() && is_lower(text[end])) ++end;
    const std::string_view tail = text.substr(begin + 1, end - begin - 1);
    for (const std::string_view word : words) {
      if (lower(text[begin]) == word.front() && tail == word.substr(1)) return true;
    }
    begin = end;
  }
  return false;
}

/// Whether the text names indexing code.
bool names_indexing(std::string_view text) {
  return has_word(text, kWords) || std::ranges::any_of(kParts, [text](std::string_view part) {
           return text.find(part) != text.npos;
         });
}

/// The position after the bracket that closes the one at `open`; npos if none does.
std::size_t behind_brackets(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(') ++depth;
    // The arrow of a trailing return type closes nothing.
    if (text[i] == ')' || (text[i] == '>' && text[i - 1] != '-')) --depth;
    if (depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

/// Collects, from the arguments between the brackets at `open` and `close`, those that choose
/// between algorithms rather than dtypes: types and enumerators of at::native, and at::Dimname.
void note_choices(std::string_view text, std::size_t open, std::size_t close,
                  std::vector<std::string>& choices) {
  for (std::size_t begin = open + 1; begin < close;) {
    std::size_t end = begin;
    while (end < close && text[end] != ',') {
      const bool opens = text[end] == '<' || text[end] == '(';
      end = opens ? std::min(behind_brackets(text, end), close) : end + 1;
    }
    std::string_view argument = text.substr(begin, end - begin);
    begin = std::min(text.find_first_not_of(", ", end), close);
    std::string value;
    if (argument.starts_with("(at::native::")) {
      const std::size_t behind = behind_brackets(argument, 0);
      value = " " + std::string(argument.substr(behind));
      argument = argument.substr(1, behind - 2);
    }
    if (argument.starts_with(kNamespace)) {
      argument.remove_prefix(kNamespace.size());
      if (argument.starts_with(kAnonymous)) argument.remove_prefix(kAnonymous.size() + 2);
    } else if (argument.starts_with("at::Dimname")) {
      argument.remove_prefix(std::string_view("at::").size());
    } else {
      continue;
    }
    std::size_t length = 0;
    while (length < argument.size() && is_identifier(argument[length])) ++length;
    // A function, a lambda within one, or a class within a class: named elsewhere.
    if (length < argument.size() && (argument[length] == '(' || argument[length] == ':')) continue;
    const std::string choice = std::string(argument.substr(0, length)) + value;
    if (std::ranges::find(choices, choice) == choices.end()) choices.push_back(choice);
  }
}

std::string joined(const std::vector<std::string>& choices) {
  std::string text;
  for (const std::string& choice : choices) text += (text.empty() ? "<" : ", ") + choice;
  return text.empty() ? text : text + ">";
}

/// The function whose qualified name begins at `at`, after at::native:: ("where_kernel_impl");
/// empty if that is a type.
std::string function_at(std::string_view text, std::size_t at) {
  std::string name;
  std::vector<std::string> choices;
  while (at < text.size()) {
    if (text.substr(at).starts_with(kAnonymous)) {
      at += kAnonymous.size() + 2;  // and its "::"
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && (is_identifier(text[at]) || text[at] == '~')) ++at;
    const std::string_view part = text.substr(begin, at - begin);
    if (part == "operator" && text.substr(at).starts_with("()")) at += 2;
    // The namespaces of the CPU capabilities.
    const bool capability = part == "DEFAULT" || part == "AVX2" || part == "AVX512" ||
                            part == "CPU_CAPABILITY" || part == "ZVECTOR";
    if (!capability && !part.empty() && part != "operator") {
      if (!name.empty()) name += "::";
      name += part;
    }
    if (at < text.size() && text[at] == '<') {
      const std::size_t behind = behind_brackets(text, at);
      if (behind == std::string_view::npos) return {};
      note_choices(text, at, behind - 1, choices);
      at = behind;
    }
    if (at >= text.size()) return {};
    if (text[at] == '(') {
      note_choices(text, at, std::min(behind_brackets(text, at), text.size()) - 1, choices);
      return name.empty() ? name : name + joined(choices);
    }
    if (!text.substr(at).starts_with("::")) return {};
    at += 2;
  }
  return {};
}

std::string demangled(const std::string& mangled) {
  // What compilers append to the names of the parts of a split function is not part of the
  // mangling.
  const std::string name = mangled.substr(0, mangled.find('.'));
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : "";
}

bool stands_as_words(std::string_view name, std::string_view words) {
  for (std::size_t at = name.find(words); at != std::string_view::npos;
       at = name.find(words, at + 1)) {
    const std::size_t end = at + words.size();
    if ((at == 0 || name[at - 1] == '_' || name[at - 1] == ':') &&
        (end == name.size() || name[end] == '_' || name[end] == ':'))
      return true;
  }
  return false;
}

}  // namespace

bool is_indexing_name(std::string_view mangled) {
  constexpr std::string_view kMangledNamespace = "6native";
  return memmem(mangled.data(), mangled.size(), kMangledNamespace.data(),
                kMangledNamespace.size()) != nullptr &&
         names_indexing(mangled);
}

std::string indexing_function(const std::string& mangled) {
  const std::string text = demangled(mangled);
  std::string innermost, outermost;
  for (std::size_t at = text.find(kNamespace); at != std::string::npos;
       at = text.find(kNamespace, at + 1)) {
    if (at > 0 && text[at - 1] == '&') continue;
    const std::string function = function_at(text, at + kNamespace.size());
    if (!names_indexing(function)) continue;
    if (innermost.empty()) innermost = function;
    outermost = function;
  }
  if (innermost == outermost) return innermost;
  return outermost + ": " + innermost;
}

bool is_code_of(std::string_view function, std::span<const std::string> operators,
                std::span<const std::string> all_operators) {
  const auto asks_one_of = [&](auto& names) {
    return std::ranges::find_first_of(operators, names) != operators.end();
  };
  if (has_word(function, kNeverDrawn)) return false;
  if (has_word(function, kReductions) && !asks_one_of(kReducing)) return false;
  if (has_word(function, kBags) && !asks_one_of(kBagging)) return false;
  function = function.substr(0, std::min(function.find(": "), function.find('<')));
  if (std::ranges::find(kPartsOfOthers, function) != kPartsOfOthers.end()) return false;
  if (std::ranges::find(kPartsOfBags, function) != kPartsOfBags.end()) return asks_one_of(kBagging);
  if (std::ranges::find(kKernelsOfMaxPools, function) != kKernelsOfMaxPools.end())
    return asks_one_of(kMaxPools);
  if (std::ranges::find(kKernelsOfGradients, function) != kKernelsOfGradients.end())
    return asks_one_of(kGradients);
  if (function == kParallelSort) return asks_one_of(kSorting);
  if (function == kRunning) return asks_one_of(kRunningOnes);
  std::string_view longest;
  for (const std::string& name : all_operators) {
    if (name.size() > longest.size() && stands_as_words(function, name)) longest = name;
  }
  if (longest.empty()) return !has_word(function, kPooling);
  return std::ranges::find(operators, longest) != operators.end();
}

}  // namespace indexfuzz
