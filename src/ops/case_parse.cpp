// Reads the text form. Total: any bytes give cases or one sentence that names the line.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "case/nearest.h"
#include "ops/case_reader.h"
#include "ops/case_text.h"
#include "ops/operator.h"

namespace indexfuzz {
namespace {

constexpr std::int64_t kMostElements = 1 << 20;
constexpr std::int64_t kMostStorage = std::int64_t{1} << 40;
constexpr std::int64_t kInt16Max = std::numeric_limits<std::int16_t>::max();
constexpr std::int64_t kUInt32Max = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();

/// " (did you mean 'index_select'?)", or nothing where no candidate is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
  constexpr std::size_t kLongestName = 64;
  if (word.size() > kLongestName) return "";
  const std::string best = nearest(word, std::vector<std::string>(names.begin(), names.end()));
  return best.empty() ? "" : fmt::format(" (did you mean '{}'?)", best);
}

/// "unknown dtype 'float23' (did you mean 'float32'?)"
[[noreturn]] void unknown(std::string_view what, std::string_view word,
                          std::span<const std::string_view> names) {
  throw BadLine(fmt::format("unknown {} '{}'{}", what, shown(word), did_you_mean(word, names)));
}

Dtype read_dtype(std::string_view word) {
  if (const auto dtype = dtype_from_name(word)) return *dtype;
  std::vector<std::string_view> names;
  for (int i = 0; i < kDtypeCount; ++i) names.push_back(info(static_cast<Dtype>(i)).name);
  unknown("dtype", word, names);
}

FillKind read_fill(std::string_view word) {
  if (const auto kind = fill_from_name(word)) return *kind;
  std::vector<std::string_view> names;
  for (int i = 0; i < 256; ++i) {
    const auto kind = static_cast<FillKind>(i);
    if (fill_from_name(name(kind)) == kind) names.push_back(name(kind));
  }
  unknown("fill", word, names);
}

/// A word of two or three that a field may hold; its place in the list.
std::size_t one_of(LineReader& line, std::string_view what,
                   std::span<const std::string_view> words) {
  const std::string_view word = line.word(what);
  const auto place = std::ranges::find(words, word);
  if (place == words.end()) {
    throw BadLine(fmt::format("{} is '{}', which is none of {}", what, shown(word),
                              fmt::join(words, ", ")));
  }
  return static_cast<std::size_t>(place - words.begin());
}

Dims one_a_dimension(LineReader& line, std::string_view what, std::size_t rank, std::int64_t low,
                     std::int64_t high) {
  Dims numbers = line.tuple(what, low, high);
  if (numbers.size() != rank) {
    throw BadLine(fmt::format("{} has {} numbers, expected one for each of the {} dimensions", what,
                              numbers.size(), rank));
  }
  return numbers;
}

Dims dim_set(LineReader& line, std::string_view what, std::size_t rank) {
  return line.tuple(what, 0, static_cast<std::int64_t>(rank) - 1);
}

void read_order(LineReader& line, Layout& layout) {
  const std::size_t rank = layout.dims.size();
  const Dims order = one_a_dimension(line, "order", rank, 0, static_cast<std::int64_t>(rank) - 1);
  for (std::size_t p = 0; p < rank; ++p) {
    if (std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(p), order[p]) !=
        order.begin() + static_cast<std::ptrdiff_t>(p)) {
      throw BadLine(fmt::format("order names dimension {} twice", order[p]));
    }
    layout.order[p] = static_cast<std::uint8_t>(order[p]);
  }
}

void read_field(std::string_view field, LineReader& line, Operand& operand) {
  static constexpr std::string_view kFields[] = {
      "order",  "step",  "before", "after",     "expanded", "slides",
      "offset", "guard", "fill",   "negatives", "repeats",  "seed", "popcount"};
  static constexpr std::string_view kGuards[] = {"right", "left"};
  static constexpr std::string_view kNegatives[] = {"none", "all", "some"};
  Layout& layout = operand.layout;
  const std::size_t rank = operand.shape.size();
  const auto per_dim = [&](std::int16_t DimLayout::* member, std::int64_t low) {
    const Dims numbers = one_a_dimension(line, field, rank, low, kInt16Max);
    for (std::size_t d = 0; d < rank; ++d) {
      layout.dims[d].*member = static_cast<std::int16_t>(numbers[d]);
    }
  };
  const auto flags = [&](bool DimLayout::* member) {
    for (const std::int64_t d : dim_set(line, field, rank)) {
      layout.dims[static_cast<std::size_t>(d)].*member = true;
    }
  };
  if (field == "order") return read_order(line, layout);
  if (field == "step") return per_dim(&DimLayout::step, 1);
  if (field == "before") return per_dim(&DimLayout::before, 0);
  if (field == "after") return per_dim(&DimLayout::after, 0);
  if (field == "expanded") return flags(&DimLayout::expanded);
  if (field == "slides") return flags(&DimLayout::slides);
  if (field == "offset") {
    layout.offset = static_cast<std::int16_t>(line.number(field, 0, kInt16Max));
  } else if (field == "guard") {
    operand.guard = static_cast<Guard>(one_of(line, field, kGuards));
  } else if (field == "fill") {
    operand.fill.kind = read_fill(line.word("the name of a fill"));
  } else if (field == "negatives") {
    operand.fill.negatives = static_cast<Negatives>(one_of(line, field, kNegatives));
  } else if (field == "repeats") {
    for (const std::int64_t d : dim_set(line, field, rank)) {
      operand.fill.repeats = static_cast<std::uint16_t>(operand.fill.repeats | 1 << d);
    }
  } else if (field == "seed") {
    operand.fill.seed = static_cast<std::uint32_t>(line.number(field, 0, kUInt32Max));
  } else if (field == "popcount") {
    operand.fill.popcount = static_cast<std::uint32_t>(line.number(field, 0, kUInt32Max));
  } else {
    unknown("field", field, kFields);
  }
}

/// Throws where the numbers are so large that arithmetic on them could overflow.
void demand_sane_size(const Operand& operand) {
  std::int64_t elements = 1;
  std::int64_t base = 1;
  for (std::size_t d = 0; d < operand.shape.size(); ++d) {
    const DimLayout& dim = operand.layout.dims[d];
    const std::int64_t size = std::max<std::int64_t>(operand.shape[d], 1);
    elements *= size;
    base *= size * dim.step + dim.before + dim.after;
    if (elements > kMostElements) {
      throw BadLine(fmt::format("an operand has at most {} elements", kMostElements));
    }
    if (base > kMostStorage) throw BadLine("its steps and paddings need too much memory");
  }
}

Operand read_operand(LineReader& line) {
  Operand operand;
  const std::string_view word = line.word("a dtype or 'none'");
  if (word == "none") {
    operand.present = false;
    if (!line.at_end()) throw BadLine("nothing may follow 'none'");
    return operand;
  }
  operand.dtype = read_dtype(word);
  operand.shape = line.tuple("the shape", 0, kMostElements);
  operand.layout = contiguous_layout(rank(operand.shape));
  std::vector<std::string_view> seen;
  while (!line.at_end()) {
    const std::string_view field = line.word("a field such as 'fill='");
    line.expect('=', fmt::format("after '{}'", shown(field)));
    if (std::ranges::find(seen, field) != seen.end()) {
      throw BadLine(fmt::format("'{}' is given twice", shown(field)));
    }
    read_field(field, line, operand);
    seen.push_back(field);
  }
  demand_sane_size(operand);
  return operand;
}

void read_operator(std::string_view word, Case& c) {
  const std::size_t dot = word.find('.');
  const std::string_view op_name = word.substr(0, dot);
  const OperatorInfo* op = find_operator(op_name);
  if (op == nullptr) {
    std::vector<std::string_view> names;
    for (const OperatorInfo* known : operators()) names.push_back(known->name);
    unknown("operator", op_name, names);
  }
  c.op = op->number;
  const std::string_view overload = dot == std::string_view::npos ? "" : word.substr(dot + 1);
  std::vector<std::string_view> names;
  for (const Overload& known : op->overloads) names.push_back(known.name);
  const auto place = std::ranges::find(names, overload);
  if (place == names.end()) {
    if (overload.empty()) {
      throw BadLine(fmt::format("{} needs its overload, one of {}.{}", op_name, op_name,
                                fmt::join(names, fmt::format(", {}.", op_name))));
    }
    unknown(fmt::format("overload of {}", op_name), overload, names);
  }
  c.overload = static_cast<std::uint8_t>(place - names.begin());
}

void read_call_field(std::string_view field, LineReader& line, Case& c) {
  const Overload& overload = overload_of(c);
  if (field == "breaks") {
    const std::string_view word = line.word("the name of a rule");
    std::vector<std::string_view> names;
    for (const IllegalRule& rule : operator_of(c).rules) {
      if (rule.name == word) c.breaks = rule.number;
      names.push_back(rule.name);
    }
    if (c.breaks == 0) unknown(fmt::format("rule of {}", operator_of(c).name), word, names);
    return;
  }
  static constexpr std::string_view kBools[] = {"false", "true"};
  std::vector<std::string_view> names{"breaks"};
  for (std::size_t a = 0; a < overload.attributes.size(); ++a) {
    const AttributeSpec& spec = overload.attributes[a];
    if (spec.name == field) {
      c.attributes[a] = spec.type == AttributeType::kBool
                            ? static_cast<std::int64_t>(one_of(line, field, kBools))
                            : line.number(field, -kAny - 1, kAny);
      return;
    }
    names.push_back(spec.name);
  }
  unknown("attribute", field, names);
}

Case read_call(LineReader& line) {
  static constexpr std::string_view kVariants[] = {"functional", "in-place", "out"};
  Case c;
  read_operator(line.word("an operator"), c);
  c.variant = static_cast<Variant>(one_of(line, "the variant", kVariants));
  if (form_of(c) == nullptr) {
    throw BadLine(fmt::format("{} has no {} variant", operator_of(c).name, name(c.variant)));
  }
  std::vector<std::string_view> seen;
  while (!line.at_end()) {
    const std::string_view field = line.word("an attribute such as 'dim='");
    line.expect('=', fmt::format("after '{}'", shown(field)));
    if (std::ranges::find(seen, field) != seen.end()) {
      throw BadLine(fmt::format("'{}' is given twice", shown(field)));
    }
    read_call_field(field, line, c);
    seen.push_back(field);
  }
  return c;
}

/// The names that the next operand's line may begin with, in order; empty where there are all.
std::vector<std::string_view> expected_names(const Case& c) {
  const Overload& overload = overload_of(c);
  std::vector<std::string_view> names;
  const std::size_t have = c.operands.size();
  const bool has_list = !overload.operands.empty() && overload.operands.back().is_list;
  const std::size_t fixed = overload.operands.size() - (has_list ? 1 : 0);
  if (have < fixed) return {overload.operands[have].name};
  if (has_list) names.push_back(overload.operands.back().name);
  if (c.variant == Variant::kOut && (has_list || have == fixed)) names.push_back("out");
  return names;
}

/// Collects the lines of one case after another.
class CaseParser {
 public:
  void line(std::string_view text) {
    LineReader line(text);
    if (!begun_) {
      if (is_header(text)) return;
      case_ = read_call(line);
      begun_ = true;
      complete_ = false;
      return;
    }
    const std::string_view word = line.word("an operand");
    const std::vector<std::string_view> names = complete_ ? std::vector<std::string_view>{}
                                                          : expected_names(case_);
    if (names.empty()) {
      throw BadLine(fmt::format("expected '---' or the end of the file, found '{}'", shown(word)));
    }
    if (std::ranges::find(names, word) == names.end()) {
      throw BadLine(fmt::format("expected operand '{}', found '{}'{}", fmt::join(names, "' or '"),
                                shown(word), did_you_mean(word, names)));
    }
    if (case_.operands.size() == case_.operands.capacity()) {
      throw BadLine(fmt::format("a case has at most {} operands", kMaxOperands));
    }
    case_.operands.push_back(read_operand(line));
    complete_ = word == "out";
  }

  /// At "---" and at the end of the file.
  Case finish() {
    if (!begun_) throw BadLine("expected a case, found its end");
    const auto operands = overload_of(case_).operands;
    const std::size_t have = case_.operands.size();
    const bool lacks_input = have < operands.size() && !operands[have].is_list;
    if (lacks_input || (case_.variant == Variant::kOut && !complete_)) {
      throw BadLine(fmt::format("operand '{}' of {} is missing",
                                lacks_input ? operands[have].name : "out", operator_of(case_).name));
    }
    if (const std::string why = why_illegal(case_); !why.empty()) {
      throw BadLine(fmt::format("no longer legal: {}", why));
    }
    begun_ = false;
    return std::move(case_);
  }

  static bool is_header(std::string_view text) { return text == kCaseHeader; }

 private:
  Case case_;
  bool begun_ = false;
  bool complete_ = false;  ///< `out`, the last operand, was read
};

/// Of a first line that is not kCaseHeader.
std::string header_error(std::string_view first) {
  constexpr std::string_view kBegin = "indexfuzz case ";
  if (first.starts_with(kBegin)) {
    try {
      LineReader line(first.substr(kBegin.size()));
      const std::int64_t version = line.number("the version", 0, kAny);
      if (version > 1 && line.at_end()) {
        return fmt::format(
            "line 1: written by a newer indexfuzz (case version {}), this one reads version 1: "
            "update indexfuzz", version);
      }
    } catch (const BadLine&) {
    }
  }
  return fmt::format("line 1: no case file: it must begin with '{}', found '{}'", kCaseHeader,
                     shown(first));
}

}  // namespace

ParsedCases parse_cases(std::string_view text) {
  ParsedCases result;
  CaseParser parser;
  std::size_t number = 0;
  try {
    while (!text.empty() || number == 0) {
      ++number;
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      line = line.substr(0, line.find('#'));
      const std::size_t last = line.find_last_not_of(" \t\r");
      line = line.substr(0, last == std::string_view::npos ? 0 : last + 1);
      if (number == 1) {
        if (CaseParser::is_header(line)) continue;
        result.error = header_error(line);
        return result;
      }
      if (line.empty()) continue;
      if (line == "---") {
        result.cases.push_back(parser.finish());
      } else {
        parser.line(line);
      }
    }
    result.cases.push_back(parser.finish());
  } catch (const BadLine& bad) {
    result.cases.clear();
    result.error = fmt::format("line {}: {}", number, bad.what());
  }
  return result;
}

}  // namespace indexfuzz
