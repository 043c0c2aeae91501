// Reads the text form. Total: any bytes give cases or one sentence that names the line.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "case/dim_set.h"
#include "case/strings/take_until.h"
#include "ops/definition/operator.h"
#include "ops/text/case_reader.h"
#include "ops/text/case_text.h"

namespace indexfuzz {
namespace {

constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();

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

std::int64_t read_attribute(const AttributeSpec& spec, std::string_view field, LineReader& line) {
  static constexpr std::string_view kBools[] = {"false", "true"};
  switch (spec.type) {
    case AttributeType::kChoice:
    case AttributeType::kCode: return static_cast<std::int64_t>(one_of(line, field, spec.choices));
    case AttributeType::kBool: return static_cast<std::int64_t>(one_of(line, field, kBools));
    case AttributeType::kDims: {
      std::int64_t set = 0;
      for (const std::int64_t dim : line.tuple(field, -kMaxDims, kMaxDims))
        set |= dim_bit(static_cast<int>(dim));
      return set;
    }
    case AttributeType::kOptionalDim:
    case AttributeType::kOptionalSize:
    case AttributeType::kOptionalRow:
    case AttributeType::kOptionalPlace:
      if (line.rest().starts_with("none")) {
        line.word(field);
        return kNoInt;
      }
      [[fallthrough]];
    case AttributeType::kDim:
    case AttributeType::kNewDim:
    case AttributeType::kOuterDim:
    case AttributeType::kRow:
    case AttributeType::kStep:
    case AttributeType::kAnyInt:
    case AttributeType::kSize: return line.number(field, -kAny - 1, kAny);
  }
  return 0;
}

/// False if `field` is not a GPU setting.
bool read_gpu_setting(std::string_view field, LineReader& line, GpuSettings& gpu) {
  const auto setting = std::ranges::find(kGpuSettings, field, &GpuSetting::field);
  if (setting == kGpuSettings.end()) return false;
  const std::string_view words[] = {setting->off, setting->on};
  gpu.*setting->is_on = one_of(line, field, words) != 0;
  return true;
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
  if (field == "threads") {
    c.environment.threads = static_cast<std::uint8_t>(line.number(field, 1, kMaxThreads));
    return;
  }
  if (field == "capability") {
    c.environment.capability = static_cast<Capability>(one_of(line, field, kCapabilityNames));
    return;
  }
  if (read_gpu_setting(field, line, c.gpu)) return;
  std::vector<std::string_view> names{"breaks", "threads", "capability"};
  for (const GpuSetting& setting : kGpuSettings) names.push_back(setting.field);
  for (std::size_t a = 0; a < overload.attributes.size(); ++a) {
    const AttributeSpec& spec = overload.attributes[a];
    if (spec.name == field) {
      c.attributes[a] = read_attribute(spec, field, line);
      return;
    }
    names.push_back(spec.name);
  }
  unknown("attribute", field, names);
}

Case read_call(LineReader& line) {
  const std::string_view variants[] = {name(Variant::kFunctional), name(Variant::kInPlace),
                                       name(Variant::kOut)};
  Case c;
  read_operator(line.word("an operator"), c);
  c.variant = static_cast<Variant>(one_of(line, "the variant", variants));
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

/// The names with which the next operand's line may begin; empty if there is no further operand.
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
    const std::vector<std::string_view> names =
        complete_ ? std::vector<std::string_view>{} : expected_names(case_);
    if (names.empty()) {
      throw BadLine(fmt::format("expected '---' or the end of the file, found '{}'", shown(word)));
    }
    if (std::ranges::find(names, word) == names.end()) {
      throw BadLine(fmt::format("expected operand '{}', found '{}'{}", fmt::join(names, "' or '"),
                                shown(word), hint_at_nearest(word, names)));
    }
    if (case_.operands.size() == case_.operands.capacity()) {
      throw BadLine(fmt::format("a case has at most {} operands", kMaxOperands));
    }
    case_.operands.push_back(read_operand(line));
    complete_ = word == "out";
  }

  /// Returns the case, at "---" or at the end of the file.
  Case finish() {
    if (!begun_) throw BadLine("expected a case, found its end");
    const auto operands = overload_of(case_).operands;
    const std::size_t have = case_.operands.size();
    const bool lacks_input = have < operands.size() && !operands[have].is_list;
    if (lacks_input || (case_.variant == Variant::kOut && !complete_)) {
      throw BadLine(fmt::format("operand '{}' of {} is missing",
                                lacks_input ? operands[have].name : "out",
                                operator_of(case_).name));
    }
    if (const std::string why = why_illegal(case_); !why.empty()) {
      throw BadLine(fmt::format("the case that ends here is no longer legal: {}", why));
    }
    if (case_.variant == Variant::kOut) {
      Operand& out = case_.operands.back();
      out.own_shape = out.shape != operator_of(case_).result(case_).shape;
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

/// The error for a first line that is not kCaseHeader.
std::string header_error(std::string_view first) {
  constexpr std::string_view kBegin = "indexfuzz case ";
  if (first.starts_with(kBegin)) {
    try {
      LineReader line(first.substr(kBegin.size()));
      const std::int64_t version = line.number("the version", 0, kAny);
      if (version > 1 && line.at_end()) {
        return fmt::format(
            "line 1: written by a newer indexfuzz (case version {}), this one reads version 1: "
            "update indexfuzz",
            version);
      }
    } catch (const BadLine&) {
    }
  }
  return fmt::format("line 1: not a case file: it must begin with '{}', found '{}'", kCaseHeader,
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
      std::string_view line = take_until(text, "\n");
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
