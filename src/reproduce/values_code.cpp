#include "reproduce/values_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ranges>
#include <vector>

#include "case/number.h"

namespace indexfuzz {
namespace {

/// More elements than this are written as bytes.
constexpr std::int64_t kMostLiterals = 64;

std::uint64_t bits_of(Dtype real, const std::byte* element) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, element, item_size(real));
  return bits;
}

std::string integer_text(Dtype dtype, const std::byte* element) {
  const std::uint64_t bits = bits_of(dtype, element);
  if (!info(dtype).is_signed) return fmt::to_string(bits);
  const int shift = 64 - 8 * static_cast<int>(item_size(dtype));
  return fmt::to_string(static_cast<std::int64_t>(bits << shift) >> shift);
}

/// The shortest decimal number of a finite value that reads back exactly; always with a point or
/// exponent.
std::string decimal(Dtype real, double value) {
  std::string text = fmt::to_string(value);
  if (real != Dtype::kDouble) {
    const auto narrow = static_cast<float>(value);
    const std::string shorter = fmt::to_string(narrow);
    if (static_cast<float>(std::strtod(shorter.c_str(), nullptr)) == narrow) text = shorter;
  }
  if (text.find_first_of(".e") == std::string::npos) text += ".";
  if (text.ends_with(".0")) text.pop_back();
  return text;
}

/// The bits of the NaN that PyTorch makes of Python's NaN; 0 if unknown.
std::uint64_t usual_nan(Dtype real) {
  switch (real) {
    case Dtype::kHalf: return 0x7E00;
    case Dtype::kBFloat16: return 0x7FC0;
    case Dtype::kFloat: return 0x7FC00000;
    case Dtype::kDouble: return 0x7FF8000000000000;
    default: return 0;
  }
}

std::optional<std::string> floating_literal(Dtype real, const std::byte* element) {
  const double value = to_double(real, element);
  if (std::isnan(value)) {
    if (bits_of(real, element) != usual_nan(real)) return std::nullopt;
    return "torch.nan";
  }
  if (std::isinf(value)) return value < 0 ? "-torch.inf" : "torch.inf";
  return decimal(real, value);
}

std::optional<std::string> complex_literal(Dtype dtype, const std::byte* element) {
  const Dtype real = component(dtype);
  const auto re = floating_literal(real, element);
  const auto im = floating_literal(real, element + item_size(real));
  if (!re || !im) return std::nullopt;
  const double x = to_double(real, element);
  const double y = to_double(real, element + item_size(real));
  const auto plain = [](double v) { return std::isfinite(v) && !(v == 0 && std::signbit(v)); };
  // Python's x + yj adds, which loses signs of zeros and makes NaN of infinities.
  if (!plain(x) || !plain(y)) return fmt::format("complex({}, {})", *re, *im);
  return fmt::format("{}{}{}j", *re, y < 0 ? "" : "+", *im);
}

using Formatter = std::string (*)(Dtype, const std::byte*);

/// Appends "[[1, 2], [3, 4]]": the elements from `element` on, in dimension `d` and those inside
/// it. Writes "..." in place of what exceeds `budget`.
void nest(std::string& text, Dtype dtype, const Dims& shape, std::size_t d,
          const std::byte*& element, std::int64_t& budget, Formatter format) {
  if (budget <= 0) return;
  if (d == shape.size()) {
    text += format(dtype, element);
    element += item_size(dtype);
    --budget;
    return;
  }
  text += "[";
  for (std::int64_t i = 0; i < shape[d]; ++i) {
    if (i > 0) text += ", ";
    if (budget <= 0) {
      text += "...";
      break;
    }
    nest(text, dtype, shape, d + 1, element, budget, format);
  }
  text += "]";
}

std::string hex(std::span<const std::byte> bytes) {
  return fmt::format(
      "{:02x}",
      fmt::join(bytes | std::views::transform([](std::byte b) { return static_cast<unsigned>(b); }),
                ""));
}

/// A flat tensor of these bytes as a Python expression; many are split between elements into lines
/// of at most 96 digits.
std::string python_bytes(Dtype dtype, std::span<const std::byte> bytes) {
  const std::size_t size = item_size(dtype);
  const std::size_t per_line = std::max<std::size_t>(48 / size, 1) * size;
  std::string text = "torch.frombuffer(bytearray.fromhex(";
  const bool long_form = bytes.size() > per_line;
  for (std::size_t at = 0; at < bytes.size(); at += per_line) {
    const auto row = bytes.subspan(at, std::min(per_line, bytes.size() - at));
    if (long_form) text += "\n    ";
    text += "\"";
    for (std::size_t i = 0; i < row.size(); i += size) {
      if (i > 0 && !long_form) text += " ";
      text += hex(row.subspan(i, size));
    }
    text += "\"";
  }
  return text + fmt::format("), dtype=torch.{})", info(dtype).name);
}

std::string shape_text(const Dims& shape) {
  return fmt::format("{}", fmt::join(shape, ", "));
}

/// The integers start, start + step, …; their remainders if `modulus` is not 0.
struct Progression {
  std::int64_t start, step, modulus;
  std::int64_t at(std::int64_t i) const {
    return modulus == 0 ? start + i * step : (start + i * step) % modulus;
  }
};

/// The progression with step 1 or -1 that two or more elements form; none if they form no such one.
std::optional<Progression> progression(Dtype dtype, std::span<const std::byte> elements) {
  switch (dtype) {
    case Dtype::kFloat:
    case Dtype::kDouble:
    case Dtype::kInt64:
    case Dtype::kInt32:
    case Dtype::kInt16:
    case Dtype::kInt8:
    case Dtype::kUInt8: break;
    default: return std::nullopt;
  }
  const std::size_t size = item_size(dtype);
  const auto count = static_cast<std::int64_t>(elements.size() / size);
  const auto value = [&](std::int64_t i) {
    return to_double(dtype, elements.data() + static_cast<std::size_t>(i) * size);
  };
  constexpr double kMost = 1 << 20;
  if (!(std::abs(value(0)) < kMost) || std::abs(value(1) - value(0)) != 1) return std::nullopt;
  Progression p{static_cast<std::int64_t>(value(0)), static_cast<std::int64_t>(value(1) - value(0)),
                0};
  for (std::int64_t i = 0; i < count; ++i) {
    if (value(i) == 0 && std::signbit(value(i))) return std::nullopt;
    if (value(i) == static_cast<double>(p.at(i))) continue;
    if (p.modulus != 0 || p.start != 0 || p.step != 1 || value(i) != 0) return std::nullopt;
    p.modulus = i;
  }
  // What PyTorch takes the remainders of are numbers of the dtype, and so is the modulus.
  const std::int64_t most = (std::int64_t{1} << std::min(info(dtype).exact_bits, 62)) - 1;
  if (p.modulus != 0 && std::max(p.modulus, count - 1) > most) return std::nullopt;
  return p;
}

std::string python_progression(const Progression& p, std::int64_t count, Dtype dtype) {
  const std::string start = p.start == 0 && p.step == 1 ? "" : fmt::format("{}, ", p.start);
  const bool is_usual = dtype == Dtype::kInt64 || dtype == Dtype::kFloat;
  return fmt::format("torch.arange({}{}{}{}{}){}", start, p.start + count * p.step,
                     dtype == Dtype::kFloat ? "." : "",
                     p.step == 1 ? "" : fmt::format(", {}", p.step),
                     is_usual ? "" : fmt::format(", dtype=torch.{}", info(dtype).name),
                     p.modulus == 0 ? "" : fmt::format(" % {}", p.modulus));
}

bool all_equal(Dtype dtype, std::span<const std::byte> elements) {
  const std::size_t size = item_size(dtype);
  for (std::size_t i = size; i < elements.size(); i += size) {
    if (std::memcmp(elements.data(), elements.data() + i, size) != 0) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> python_literal(Dtype dtype, const std::byte* element) {
  switch (info(dtype).family) {
    case DtypeFamily::kBool: return bits_of(dtype, element) != 0 ? "True" : "False";
    case DtypeFamily::kInteger: return integer_text(dtype, element);
    case DtypeFamily::kFloating: return floating_literal(dtype, element);
    case DtypeFamily::kComplex: return complex_literal(dtype, element);
  }
  return std::nullopt;
}

namespace {

/// "[False] * 32769 + [True]": a Python list of elements that have literals; empty if there are
/// more than kMostRuns runs of equal ones.
std::string python_runs(Dtype dtype, std::span<const std::byte> elements) {
  constexpr std::size_t kMostRuns = 8;
  const std::size_t size = item_size(dtype);
  std::vector<std::string> runs;
  for (std::size_t at = 0, end = 0; at < elements.size(); at = end) {
    if (runs.size() == kMostRuns) return "";
    while (end < elements.size() && std::memcmp(&elements[at], &elements[end], size) == 0)
      end += size;
    const std::size_t length = (end - at) / size;
    runs.push_back(fmt::format("[{}]{}", *python_literal(dtype, &elements[at]),
                               length == 1 ? "" : fmt::format(" * {}", length)));
  }
  return fmt::format("{}", fmt::join(runs, " + "));
}

}  // namespace

std::string python_values(Dtype dtype, const Dims& shape, std::span<const std::byte> elements) {
  const std::int64_t count = numel(shape);
  const std::string comma = shape.size() == 1 ? "," : "";
  const std::string dtype_text = fmt::format("dtype=torch.{}", info(dtype).name);
  if (count == 0)
    return fmt::format("torch.empty(({}{}), {})", shape_text(shape), comma, dtype_text);
  const std::string view =
      shape.size() == 1 ? "" : fmt::format(".view({})", shape.empty() ? "()" : shape_text(shape));
  const bool usual = dtype == Dtype::kBool || dtype == Dtype::kInt64 || dtype == Dtype::kFloat;

  if (count > 4) {
    const auto p = progression(dtype, elements);
    const bool is_plain = p && p->step == 1 && p->modulus == 0 && (p->start == 0 || p->start == 1);
    if (p && (is_plain || count > kMostLiterals)) {
      const std::string text = python_progression(*p, count, dtype);
      return (p->modulus == 0 || view.empty() ? text : "(" + text + ")") + view;
    }
  }
  bool exact = true;
  for (std::int64_t i = 0; i < count && exact; ++i) {
    exact = python_literal(dtype, elements.data() + static_cast<std::size_t>(i) * item_size(dtype))
                .has_value();
  }
  if (exact && count > 4 && all_equal(dtype, elements)) {
    return fmt::format("torch.full(({}{}), {}, {})", shape_text(shape), comma,
                       *python_literal(dtype, elements.data()), dtype_text);
  }
  if (exact && count > kMostLiterals) {
    if (const std::string runs = python_runs(dtype, elements); !runs.empty())
      return fmt::format("torch.tensor({}{}){}", runs, usual ? "" : ", " + dtype_text, view);
  }
  // Literals are exact: Python reads floating-point ones as float64, and 64-bit integers, which
  // float64 could not hold, are written as integers.
  if (!exact || count > kMostLiterals) return python_bytes(dtype, elements) + view + ".clone()";
  std::string list;
  const std::byte* element = elements.data();
  std::int64_t budget = count;
  nest(list, dtype, shape, 0, element, budget,
       [](Dtype d, const std::byte* e) { return *python_literal(d, e); });
  return fmt::format("torch.tensor({}{})", list, usual ? "" : ", " + dtype_text);
}

std::string element_text(Dtype dtype, const std::byte* element) {
  if (const auto byte = bits_of(dtype, element); dtype == Dtype::kBool && byte > 1)
    return fmt::format("True (byte {:#04x})", byte);
  if (auto literal = python_literal(dtype, element)) {
    for (std::size_t at; (at = literal->find("torch.")) != std::string::npos;)
      literal->erase(at, 6);
    return *literal;
  }
  if (is_complex(dtype)) {
    const Dtype real = component(dtype);
    return fmt::format("complex({}, {})", element_text(real, element),
                       element_text(real, element + item_size(real)));
  }
  return fmt::format("nan (bits {:#x})", bits_of(dtype, element));
}

std::string values_text(Dtype dtype, const Dims& shape, std::span<const std::byte> elements,
                        std::int64_t most) {
  if (numel(shape) == 0) return "no elements";
  std::string text;
  const std::byte* element = elements.data();
  nest(text, dtype, shape, 0, element, most, element_text);
  return text;
}

std::string cpp_values(std::string_view name, Dtype dtype, std::span<const std::byte> elements) {
  const Dtype real = component(dtype);
  const std::size_t size = item_size(real), count = elements.size() / size;
  const bool integers = info(dtype).family == DtypeFamily::kInteger;
  bool decimals = real == Dtype::kFloat || real == Dtype::kDouble;
  for (std::size_t i = 0; i < elements.size() && decimals; i += size) {
    decimals = std::isfinite(to_double(real, elements.data() + i));
  }
  std::string type =
      fmt::format("{}int{}_t", integers && info(dtype).is_signed ? "" : "u", size * 8);
  if (decimals) type = real == Dtype::kFloat ? "float" : "double";
  const auto literal = [&](const std::byte* element) -> std::string {
    if (decimals)
      return decimal(real, to_double(real, element)) + (real == Dtype::kFloat ? "f" : "");
    if (dtype == Dtype::kBool) return bits_of(real, element) != 0 ? "1" : "0";
    if (!integers) return fmt::format("{:#x}", bits_of(real, element));
    // C++ has no negative literals, and the lowest one's magnitude fits no signed type.
    const std::string value = integer_text(dtype, element);
    if (value == "-9223372036854775808") return "INT64_MIN";
    return dtype == Dtype::kUInt64 ? value + "u" : value;
  };
  if (count > kMostLiterals && all_equal(real, elements)) {
    return fmt::format(
        "const std::vector<{0}> all_{1}({2}, {3});\nconst {0}* const {1} = all_{1}.data();\n", type,
        name, count, literal(elements.data()));
  }
  std::string text = fmt::format("const {} {}[] = {{", type, name);
  std::size_t column = text.size();
  for (std::size_t i = 0; i < elements.size(); i += size) {
    const std::string value = literal(elements.data() + i);
    if (i > 0) {
      text += ",";
      column += value.size() + 2;
      text += column > 100 ? "\n    " : " ";
      if (column > 100) column = 4 + value.size();
    }
    text += value;
  }
  if (elements.empty()) text += "0";
  return text + "};\n";
}

}  // namespace indexfuzz
