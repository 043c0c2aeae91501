#pragma once
// A call as a language writes it, from the template in an operator's form or a kernel's schema.

#include <string>
#include <vector>

#include "reproduce/program_plan.h"

namespace indexfuzz {

/// How one language writes the parts of a call: `list` the operands of a list ("" for a None),
/// `number` an operand that is passed by value, `attribute` an attribute.
struct CallWriter {
  std::string (*list)(const OperandSpec& spec, const std::vector<std::string>& variables);
  std::string (*number)(const std::string& variable, Dtype dtype, const std::byte* value);
  std::string (*attribute)(const AttributeSpec& spec, std::int64_t value);
};
/// The template `text` with every `{name}` of an operand or attribute replaced.
std::string write_call(const std::string& text, const ProgramPlan& plan, const CallWriter& writer);

}  // namespace indexfuzz
