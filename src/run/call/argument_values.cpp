#include "run/call/argument_values.h"

#include <c10/util/complex.h>

#include <algorithm>
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

namespace {

/// The list of integers that an argument is in a case; none if it is no list.
std::optional<IntegerList> list_of(const Argument& argument, const Case& c) {
  if (argument.source == Argument::Source::kAttributeList)
    return passed_list(c, {argument.slot, argument.count, argument.times});
  if (argument.source != Argument::Source::kAttribute || argument.as != Argument::As::kInts)
    return std::nullopt;
  const Dims dims = dims_of(c.attributes[argument.slot]);
  return IntegerList(dims.begin(), dims.end());
}

/// Whether two lists say the same: to PyTorch a single number may stand for as many as there are
/// dimensions.
bool say_same(const IntegerList& passed, const c10::List<std::int64_t>& usual) {
  if (passed.size() == usual.size()) return std::equal(passed.begin(), passed.end(), usual.begin());
  if (passed.empty() || usual.empty() || (passed.size() > 1 && usual.size() > 1)) return false;
  const auto is_first = [&](std::int64_t number) { return number == passed.front(); };
  return std::all_of(passed.begin(), passed.end(), is_first) &&
         std::all_of(usual.begin(), usual.end(), is_first);
}

}  // namespace

bool has_default(const Plan& plan, const LackingArgument& lacking, const Case& c,
                 std::span<const PlacedOperand> operands) {
  const Argument& argument = lacking.argument;
  if (const std::optional<IntegerList> list = list_of(argument, c))
    return lacking.by_default.isIntList() && say_same(*list, lacking.by_default.toIntList());
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
