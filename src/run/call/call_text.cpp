#include "run/call/call_text.h"

#include <ATen/core/function_schema.h>

#include <algorithm>
#include <string_view>

#include "case/strings/replace_all.h"

namespace indexfuzz {
namespace {

/// The placeholders of an argument's attributes, with commas between them.
std::string attribute_placeholders(const Overload& overload, const Argument& argument) {
  std::string text;
  for (std::size_t a = argument.slot; a < argument.slot + std::size_t{argument.count}; ++a) {
    if (a > argument.slot) text += ", ";
    text += "{" + std::string(overload.attributes[a].name) + "}";
  }
  const std::string last =
      "{" + std::string(overload.attributes[argument.slot + argument.count - 1u].name) + "}";
  for (int again = 1; again < argument.times; ++again) text += ", " + last;
  return text;
}

/// The placeholder of the shape of the result.
std::string shape_placeholder(const Overload& overload) {
  const auto shape =
      std::ranges::find(overload.parameters, Parameter::Kind::kResultShape, &Parameter::kind);
  return "{" + std::string(shape->name) + "}";
}

/// What a language encloses a list of integers in, and its words for nothing.
struct Language {
  std::string_view list_begin, list_end, none, no, yes;
  /// A call that makes a tensor of zeros of these sizes where `beside`, a tensor, is.
  std::string (*zeros)(const std::string& sizes, const DtypeInfo& dtype, const std::string& beside);
};

std::string python_zeros(const std::string& sizes, const DtypeInfo& dtype,
                         const std::string& beside) {
  return "torch.zeros([" + sizes + "], dtype=torch." + std::string(dtype.name) +
         ", device=" + beside + ".device)";
}
std::string cpp_zeros(const std::string& sizes, const DtypeInfo& dtype, const std::string& beside) {
  return "at::zeros({" + sizes + "}, " + beside + ".options().dtype(" + std::string(dtype.cpp) +
         "))";
}

constexpr Language kPython{"[", "]", "None", "False", "True", python_zeros};
constexpr Language kCpp{"std::vector<int64_t>{", "}", "c10::IValue()", "false", "true", cpp_zeros};

std::string joined(std::span<const std::int64_t> numbers) {
  std::string text;
  for (const std::int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

/// A constant as the language writes it.
std::string literal(const c10::IValue& constant, const Language& language) {
  if (constant.isNone()) return std::string(language.none);
  if (constant.isBool()) return std::string(constant.toBool() ? language.yes : language.no);
  if (constant.isDouble()) return python_text(constant.toDouble());
  if (constant.isInt()) return std::to_string(constant.toInt());
  if (constant.isIntList())
    return std::string(language.list_begin) + joined(constant.toIntVector()) +
           std::string(language.list_end);
  return '"' + constant.toStringRef() + '"';  // a contract's strings have no quotes
}

std::string zeros_text(const Plan& plan, const Zeros& zeros, const Language& language) {
  const std::string_view first = plan.op->overloads[plan.overload].operands[0].name;
  return language.zeros(joined(zeros.shape), info(zeros.dtype), "{" + std::string(first) + "}");
}

/// A tensor without elements.
std::string spare_text(const Plan& plan, const Argument& argument, const Language& language) {
  if (!argument.has_dtype_of_self) return zeros_text(plan, {Dtype::kInt64, {0}}, language);
  const std::string_view first = plan.op->overloads[plan.overload].operands[0].name;
  return "{" + std::string(first) + "}.new_empty(" + std::string(language.list_begin) + "0" +
         std::string(language.list_end) + ")";
}

std::string placeholder(const Plan& plan, const Argument& argument, const Language& language) {
  const Overload& overload = plan.op->overloads[plan.overload];
  std::string_view name;
  switch (argument.source) {
    case Argument::Source::kOperand:
    case Argument::Source::kScalar:
    case Argument::Source::kOperandList: name = overload.operands[argument.slot].name; break;
    case Argument::Source::kAttribute: return attribute_placeholders(overload, argument);
    case Argument::Source::kAttributeList:
      return std::string(language.list_begin) + attribute_placeholders(overload, argument) +
             std::string(language.list_end);
    case Argument::Source::kResultShape:
      return std::string(language.list_begin) + shape_placeholder(overload) +
             std::string(language.list_end);
    case Argument::Source::kNothing:
    case Argument::Source::kGiven: return literal(argument.constant, language);
    case Argument::Source::kZeros: return zeros_text(plan, argument.zeros, language);
    case Argument::Source::kSpareOut: return spare_text(plan, argument, language);
    case Argument::Source::kOut: name = "out"; break;
    case Argument::Source::kConstant: break;
  }
  return "{" + std::string(name) + "}";
}

/// Converts a number to what the schema takes.
std::string_view conversion(const Argument& argument) {
  if (argument.source != Argument::Source::kScalar) return "";
  switch (argument.as) {
    case Argument::As::kInt: return ".toLong()";
    case Argument::As::kBool: return ".toBool()";
    case Argument::As::kDouble: return ".toDouble()";
    case Argument::As::kNumber:
    case Argument::As::kString:
    case Argument::As::kInts: return "";
  }
  return "";
}

/// The operand that the call writes, for a schema that returns nothing.
std::string written(const Plan& plan) {
  if (plan.variant == Variant::kOut) return "{out}";
  return "{" + std::string(plan.op->overloads[plan.overload].operands[0].name) + "}";
}

/// "mine::gather" with `separator` in place of the colons.
std::string joined(const std::string& name, std::string_view separator) {
  const std::size_t colons = name.find("::");
  return name.substr(0, colons) + std::string(separator) + name.substr(colons + 2);
}

}  // namespace

std::string python_call(const Plan& plan) {
  const c10::FunctionSchema& schema = plan.handle->schema();
  std::string text = "torch.ops." + joined(schema.name(), ".");
  if (!schema.overload_name().empty()) text += "." + schema.overload_name();
  text += "(";
  bool left_one_out = false;
  bool first = true;
  for (std::size_t i = 0; i < plan.arguments.size(); ++i) {
    const Argument& argument = plan.arguments[i];
    if (argument.source == Argument::Source::kConstant) {  // its default
      left_one_out = true;
      continue;
    }
    if (!first) text += ", ";
    first = false;
    const c10::Argument& formal = schema.arguments()[i];
    if (left_one_out || formal.kwarg_only()) text += formal.name() + "=";
    text += placeholder(plan, argument, kPython);
  }
  text += ")";
  if (plan.judged) return text + "[" + std::to_string(*plan.judged) + "]";
  return plan.returns_nothing ? "(" + text + ", " + written(plan) + ")[1]" : text;
}

std::string cpp_call(const Plan& plan) {
  const c10::FunctionSchema& schema = plan.handle->schema();
  std::string text =
      "[&]() -> at::Tensor { auto op = c10::Dispatcher::singleton().findSchemaOrThrow(\"" +
      schema.name() + "\", \"" + schema.overload_name() +
      "\"); torch::jit::Stack stack; torch::jit::push(stack";
  for (std::size_t i = 0; i < plan.arguments.size(); ++i) {
    const Argument& argument = plan.arguments[i];
    text += ", ";
    text += argument.source == Argument::Source::kConstant
                ? "*op.schema().arguments()[" + std::to_string(i) + "].default_value()"
                : placeholder(plan, argument, kCpp) + std::string(conversion(argument));
  }
  text += "); op.callBoxed(stack); return ";
  text += plan.returns_nothing
              ? written(plan)
              : "stack.at(" + std::to_string(plan.judged.value_or(0)) + ").toTensor()";
  return text + "; }()";
}

std::string called_by(std::string_view function, const Plan& plan, std::string_view call) {
  std::string text(call), names, operands;
  for (const Argument& argument : plan.arguments) {
    if (argument.source != Argument::Source::kOperand &&
        argument.source != Argument::Source::kOperandList &&
        argument.source != Argument::Source::kOut)
      continue;
    const std::string in_template = placeholder(plan, argument, kPython);
    const std::string name = in_template.substr(1, in_template.size() - 2);
    replace_all(text, in_template, name);
    names += (names.empty() ? "" : ", ") + name;
    operands += ", " + in_template;
  }
  return std::string(function) + "(lambda " + names + ": " + text + operands + ")";
}

std::string called_or_written_by(std::string_view function, const Plan& plan,
                                 std::string_view call) {
  std::string text = called_by(function, plan, call);
  if (plan.variant == Variant::kInPlace) text.insert(text.size() - 1, ", in_place=True");
  return text;
}

std::string placeholder_of(const OperandSpec& operand) {
  return "{" + std::string(operand.name) + "}";
}

}  // namespace indexfuzz
