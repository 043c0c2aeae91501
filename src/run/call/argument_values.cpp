#include "run/call/argument_values.h"

#include <c10/util/complex.h>

#include <cmath>

#include "case/dim_set.h"
#include "case/number.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

std::optional<c10::IValue> number_argument(Argument::As as, Dtype dtype, const std::byte* source) {
  c10::IValue number;
  switch (dtype) {
    case Dtype::kBool: number = load<bool>(source); break;
    case Dtype::kInt64: number = load<std::int64_t>(source); break;
    case Dtype::kDouble: number = load<double>(source); break;
    default: number = load<c10::complex<double>>(source); break;
  }
  switch (as) {
    case Argument::As::kNumber: break;
    case Argument::As::kString:
    case Argument::As::kInts: return std::nullopt;
    case Argument::As::kBool:
      if (!number.isBool()) return std::nullopt;
      break;
    case Argument::As::kInt:
      if (number.isBool()) number = static_cast<std::int64_t>(number.toBool());
      if (!number.isInt()) return std::nullopt;
      break;
    case Argument::As::kDouble:
      if (number.isBool()) number = static_cast<std::int64_t>(number.toBool());
      if (number.isInt()) {
        // A double does not hold every integer from 2^53 on.
        const auto real = static_cast<double>(number.toInt());
        if (std::fabs(real) >= 0x1p53) return std::nullopt;
        number = real;
      }
      if (!number.isDouble()) return std::nullopt;
      break;
  }
  return number;
}

std::optional<c10::IValue> attribute_value(const Plan& plan, const Argument& argument,
                                           const Case& c) {
  const std::int64_t value = c.attributes[argument.slot];
  const AttributeSpec& spec = plan.op->overloads[plan.overload].attributes[argument.slot];
  if (value == kNoInt && is_optional(spec.type))
    return argument.takes_none ? std::optional<c10::IValue>(std::in_place) : std::nullopt;
  switch (argument.as) {
    case Argument::As::kNumber:
    case Argument::As::kInt: return value;
    case Argument::As::kBool: return value != 0;
    case Argument::As::kDouble: return static_cast<double>(value);
    case Argument::As::kInts: {
      const Dims dims = dims_of(value);
      return c10::IValue(at::IntArrayRef(dims.data(), dims.size()));
    }
    case Argument::As::kString: return argument.choices[static_cast<std::size_t>(value)];
  }
  return std::nullopt;
}

bool has_default(const Plan& plan, const LackingArgument& lacking, const Case& c,
                 std::span<const PlacedOperand> operands) {
  const Argument& argument = lacking.argument;
  const std::optional<c10::IValue> value =
      argument.source == Argument::Source::kScalar
          ? number_argument(argument.as, c.operands[argument.slot].dtype,
                            operands[argument.slot].logical)
          : attribute_value(plan, argument, c);
  if (!value || value->isNone() || lacking.by_default.isNone())
    return value && value->isNone() && lacking.by_default.isNone();
  if (value->isString()) return *value == lacking.by_default;
  const c10::complex<double> given = value->toScalar().toComplexDouble(),
                             usual = lacking.by_default.toScalar().toComplexDouble();
  // Of two zeros only those of one sign are the same number to a kernel.
  return given == usual && std::signbit(given.real()) == std::signbit(usual.real()) &&
         std::signbit(given.imag()) == std::signbit(usual.imag());
}

}  // namespace indexfuzz
