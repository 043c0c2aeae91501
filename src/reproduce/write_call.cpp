#include "reproduce/write_call.h"

#include <fmt/ranges.h>

#include "case/strings/replace_all.h"

namespace indexfuzz {
namespace {

std::string placeholder(std::string_view name) {
  return fmt::format("{{{}}}", name);
}

/// Gives the list that does not fit the length with which it is passed.
void change_misfit_list(std::string& call, const Case& c) {
  const Overload& overload = overload_of(c);
  for (const Parameter& parameter : overload.parameters) {
    if (parameter.kind != Parameter::Kind::kAttributeList || parameter.slot != c.misfit_list.first)
      continue;
    std::string integers, last;
    for (const AttributeSpec& spec : overload.attributes.subspan(parameter.slot, parameter.count)) {
      last = placeholder(spec.name);
      integers += (integers.empty() ? "" : ", ") + last;
    }
    for (int again = 1; again < parameter.times; ++again) integers += ", " + last;
    replace_all(call, integers, c.misfit_list.is_empty ? "" : integers + ", " + last);
  }
}

}  // namespace

std::string write_call(const std::string& text, const ProgramPlan& plan, const CallWriter& writer) {
  const Case& c = plan.expected.c;
  const Overload& overload = overload_of(c);
  std::string call = text;
  change_misfit_list(call, c);
  for (std::size_t s = 0; s < overload.operands.size(); ++s) {
    const OperandSpec& spec = overload.operands[s];
    std::string value;
    if (spec.is_list) {  // maybe of nothing
      std::vector<std::string> items;
      for (std::size_t k = s; k < static_cast<std::size_t>(input_count(c)); ++k) {
        items.push_back(c.operands[k].present ? plan.variables[k] : "");
      }
      value = writer.list(spec, items);
    } else {
      value = plan.variables[s];
      if (spec.role == Role::kScalar)
        value = writer.number(value, c.operands[s].dtype, plan.expected.operands[s].data());
    }
    replace_all(call, placeholder(spec.name), value);
  }
  for (std::size_t a = 0; a < overload.attributes.size(); ++a) {
    const AttributeSpec& spec = overload.attributes[a];
    replace_all(call, placeholder(spec.name), writer.attribute(spec, c.attributes[a]));
  }
  for (const Parameter& parameter : overload.parameters) {
    if (parameter.kind == Parameter::Kind::kResultShape)
      replace_all(call, placeholder(parameter.name),
                  fmt::format("{}", fmt::join(operator_of(c).result(c).shape, ", ")));
  }
  if (c.variant == Variant::kOut) replace_all(call, "{out}", plan.variables.back());
  return call;
}

}  // namespace indexfuzz
