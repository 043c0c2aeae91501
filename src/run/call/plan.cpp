#include "run/call/plan.h"

#include <ATen/core/function_schema.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "run/call/given_argument.h"
#include "run/call/schema_types.h"

namespace indexfuzz {
namespace {

/// How an argument of this type takes the operand; none if it cannot.
std::optional<Argument> operand_argument(const c10::Type& type, const OperandSpec& spec) {
  Argument argument;
  if (spec.role == Role::kScalar) {
    const std::optional<Argument::As> as = number_kind(type);
    if (!as) return std::nullopt;
    argument.source = Argument::Source::kScalar;
    argument.as = *as;
    return argument;
  }
  if (spec.is_list) {
    if (!is_tensor_list(type)) return std::nullopt;
    argument.source = Argument::Source::kOperandList;
    argument.takes_none = takes_none(type);
    return argument;
  }
  if (!is_tensor(type)) return std::nullopt;
  argument.source = Argument::Source::kOperand;
  return argument;
}

std::optional<Argument> attribute_argument(const c10::Type& type, const AttributeSpec& spec) {
  if (spec.type == AttributeType::kChoice) {
    if (!is_string(type)) return std::nullopt;
    Argument argument;
    argument.source = Argument::Source::kAttribute;
    argument.as = Argument::As::kString;
    for (const std::string_view choice : spec.choices)
      argument.choices.emplace_back(std::string(choice));
    argument.choices.emplace_back(std::string(kUnknownChoice));
    return argument;
  }
  if (spec.type == AttributeType::kDims) {
    if (!is_int_list(type)) return std::nullopt;
    Argument argument;
    argument.source = Argument::Source::kAttribute;
    argument.as = Argument::As::kInts;
    return argument;
  }
  const std::optional<Argument::As> as = number_kind(type);
  if (!as || (spec.type == AttributeType::kBool) != (as == Argument::As::kBool))
    return std::nullopt;
  Argument argument;
  argument.source = Argument::Source::kAttribute;
  argument.as = as == Argument::As::kNumber ? Argument::As::kInt : *as;
  argument.takes_none = type.kind() == c10::TypeKind::OptionalType;
  return argument;
}

std::optional<Argument> list_argument(const c10::Type& type, const Parameter& list) {
  if (!is_int_list(type)) return std::nullopt;
  Argument argument;
  argument.source = list.kind == Parameter::Kind::kResultShape ? Argument::Source::kResultShape
                                                               : Argument::Source::kAttributeList;
  argument.as = Argument::As::kInts;
  argument.count = list.count;
  argument.times = list.times;
  return argument;
}

/// What stands for nothing in an argument of this type; none if the type has no such value.
std::optional<Argument> nothing_argument(const c10::Type& type) {
  Argument argument;
  argument.source = Argument::Source::kNothing;
  const bool is_flag = type.kind() == c10::TypeKind::BoolType;
  if (!is_flag && type.kind() != c10::TypeKind::OptionalType) return std::nullopt;
  if (is_flag) argument.constant = false;
  return argument;
}

std::optional<Argument> argument_of_kind(const c10::Type& type, const Overload& overload,
                                         const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::Kind::kOperand:
      return operand_argument(type, overload.operands[parameter.slot]);
    case Parameter::Kind::kAttribute:
      return attribute_argument(type, overload.attributes[parameter.slot]);
    case Parameter::Kind::kAttributeList:
    case Parameter::Kind::kResultShape: return list_argument(type, parameter);
    case Parameter::Kind::kNothing: return nothing_argument(type);
  }
  return std::nullopt;
}

std::string_view parameter_name(const Overload& overload, const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::Kind::kOperand: return overload.operands[parameter.slot].name;
    case Parameter::Kind::kAttribute: return overload.attributes[parameter.slot].name;
    case Parameter::Kind::kAttributeList:
    case Parameter::Kind::kResultShape:
    case Parameter::Kind::kNothing: return parameter.name;
  }
  return {};
}

std::optional<Argument> parameter_argument(const c10::Argument& formal, const Overload& overload,
                                           const Parameter& parameter) {
  std::optional<Argument> argument = argument_of_kind(*formal.type(), overload, parameter);
  if (!argument) return std::nullopt;
  // A flag may be meant for a number, but not by its place alone: where scatter has its value,
  // gather has `sparse_grad`.
  const bool is_flag =
      argument->source == Argument::Source::kScalar && argument->as == Argument::As::kBool;
  if (is_flag && formal.name() != parameter_name(overload, parameter)) return std::nullopt;
  argument->slot = parameter.slot;
  return argument;
}

bool is_written(const c10::Argument& formal) {
  return formal.alias_info() != nullptr && formal.alias_info()->isWrite();
}

/// The places of the written arguments that the contract does not give.
std::vector<std::size_t> written_arguments(const c10::FunctionSchema& schema,
                                           std::span<const ValueTerms> given) {
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::Argument& formal = schema.arguments()[i];
    if (is_written(formal) && find_given(given, formal.name()) == nullptr) written.push_back(i);
  }
  return written;
}

/// A contract's value for a parameter that the schema lacks. A number stands for a list.
std::optional<c10::IValue> lacking_value(const c10::Type& type, const ArgumentValue& value) {
  const auto* const number = std::get_if<std::int64_t>(&value);
  return given_value(type, number != nullptr && is_int_list(type) ? Integers{*number} : value);
}

/// A parameter that the schema may lack; none if neither a contract nor ATen gives it a value.
std::optional<LackingArgument> lacking_argument(const Overload& overload, const Form& form,
                                                const Parameter& parameter,
                                                std::span<const ValueTerms> given) {
  const auto aten = aten_handle(form);
  if (!aten) return std::nullopt;
  const std::string name(parameter_name(overload, parameter));
  const auto index = aten->schema().argumentIndexWithName(name);
  if (!index) return std::nullopt;
  const c10::Argument& formal = aten->schema().arguments()[static_cast<std::size_t>(*index)];
  std::optional<Argument> argument = parameter_argument(formal, overload, parameter);
  // No case has a tensor's default, which is None.
  const bool is_number = argument && argument->source != Argument::Source::kOperand;
  if (!is_number) return std::nullopt;
  const ValueTerms* const terms = find_given(given, name);
  if (terms != nullptr && terms->values.size() == 1) {
    std::optional<c10::IValue> value = lacking_value(*formal.type(), terms->values.front());
    if (!value) return std::nullopt;
    return LackingArgument{std::move(*argument), std::move(*value)};
  }
  if (!formal.default_value()) return std::nullopt;
  return LackingArgument{std::move(*argument), *formal.default_value()};
}

bool returns_fit(const c10::FunctionSchema& schema, const Overload& overload, Variant variant) {
  const auto& returns = schema.returns();
  if (returns.empty()) return variant != Variant::kFunctional;
  // What an `out` is for shows in its name.
  const bool is_judged_alone =
      returns.size() == 1 && (overload.judged == 0 || variant != Variant::kFunctional);
  return (is_judged_alone || returns.size() == overload.results) &&
         std::ranges::all_of(returns, [](const c10::Argument& result) {
           return result.type()->kind() == c10::TypeKind::TensorType;
         });
}

/// The argument's default; none if it has no default.
std::optional<Argument> default_argument(const c10::Argument& formal) {
  if (!formal.default_value()) return std::nullopt;
  Argument argument;
  argument.constant = *formal.default_value();
  return argument;
}

/// What an argument `out` stands for.
enum class OutIs : bool { kOut, kSelf };

/// Binds the arguments of a schema to the parameters of an overload. Its steps are made in the
/// order in which they stand here, and return false if the schema does not fit.
class Binding {
 public:
  Binding(const c10::FunctionSchema& schema, const Overload& overload,
          std::span<const ValueTerms> given)
      : schema_(schema), overload_(overload), given_(given), bound_(schema.arguments().size()) {}

  /// Binds the one `out` that is judged, and the form's spare one if the schema has it.
  bool bind_out(const SpareOut& spare, OutIs out_is) {
    bool has_out = false;
    for (const std::size_t written : written_arguments(schema_, given_)) {
      const c10::Argument& formal = schema_.arguments()[written];
      if (!is_tensor(*formal.type())) return false;
      Argument& out = bound_[written].emplace();
      if (formal.name() == spare.name) {
        out.source = Argument::Source::kSpareOut;
        out.has_dtype_of_self = spare.has_dtype_of_self;
        continue;
      }
      if (has_out) return false;
      has_out = true;
      out.source = out_is == OutIs::kSelf ? Argument::Source::kOperand : Argument::Source::kOut;
      out.slot = 0;
    }
    return has_out;
  }

  /// Binds the arguments that have a parameter's name.
  bool bind_by_name() {
    for (const Parameter& parameter : overload_.parameters) {
      const std::optional<std::size_t> named = argument_named_after(parameter);
      if (named) {
        bound_[*named] = parameter_argument(schema_.arguments()[*named], overload_, parameter);
        if (!bound_[*named]) return false;
      }
      const bool is_needed =
          parameter.kind != Parameter::Kind::kNothing && !parameter.without_effect;
      if (!named && is_needed) unnamed_.push_back(parameter);
    }
    return true;
  }

  /// Binds the others: to what a contract gives, to the next parameter that has no argument yet, or
  /// to their defaults.
  bool bind_by_position() {
    for (std::size_t i = 0; i < bound_.size(); ++i) {
      const c10::Argument& formal = schema_.arguments()[i];
      if (!bound_[i]) bound_[i] = given_argument(formal, overload_, given_);
      if (!bound_[i]) bound_[i] = next_unnamed(formal);
      if (!bound_[i]) bound_[i] = default_argument(formal);
      if (!bound_[i]) return false;
    }
    return true;
  }

  /// Notes the parameters that have no argument.
  bool note_lacking(const Form& form) {
    for (; next_ < unnamed_.size(); ++next_) {
      std::optional<LackingArgument> argument =
          lacking_argument(overload_, form, unnamed_[next_], given_);
      if (!argument) return false;
      lacking_.push_back(std::move(*argument));
    }
    return true;
  }

  bool writes_self() const {
    return bound_[0]->source == Argument::Source::kOperand && bound_[0]->slot == 0;
  }

  /// Moves what is bound into the plan.
  void fill(Plan& plan) && {
    plan.lacking = std::move(lacking_);
    plan.arguments.reserve(bound_.size());
    for (std::optional<Argument>& argument : bound_) plan.arguments.push_back(std::move(*argument));
  }

 private:
  std::optional<std::size_t> argument_named_after(const Parameter& parameter) const {
    for (std::size_t i = 0; i < bound_.size(); ++i) {
      if (!bound_[i] && schema_.arguments()[i].name() == parameter_name(overload_, parameter))
        return i;
    }
    return std::nullopt;
  }

  std::optional<Argument> next_unnamed(const c10::Argument& formal) {
    if (next_ == unnamed_.size()) return std::nullopt;
    std::optional<Argument> argument = parameter_argument(formal, overload_, unnamed_[next_]);
    if (argument) ++next_;
    return argument;
  }

  const c10::FunctionSchema& schema_;
  const Overload& overload_;
  std::span<const ValueTerms> given_;
  std::vector<std::optional<Argument>> bound_;  ///< parallel to the schema's arguments
  std::vector<Parameter> unnamed_;              ///< parameters that no argument is named after
  std::size_t next_ = 0;                        ///< the first of them that is not bound
  std::vector<LackingArgument> lacking_;
};

/// The form of a call by a schema that declares the variant: with kSelf, the in-place form of one
/// that has an `out`. Null if there is none.
const Form* called_form(const Overload& overload, std::optional<Variant> declared, OutIs out_is) {
  if (out_is == OutIs::kSelf && declared != Variant::kOut) return nullptr;
  if (out_is == OutIs::kSelf) declared = Variant::kInPlace;
  return declared ? find_form(overload, *declared) : nullptr;
}

/// bind() to the overload's form of the declared variant or, with kSelf, to its in-place form.
std::optional<Plan> bind_as(const c10::OperatorHandle& handle, const OperatorInfo& op, int overload,
                            std::span<const ValueTerms> given, OutIs out_is) {
  const c10::FunctionSchema& schema = handle.schema();
  const std::optional<Variant> declared = declared_variant(schema, given);
  const Overload& target = op.overloads[static_cast<std::size_t>(overload)];
  const Form* const form = called_form(target, declared, out_is);
  if (form == nullptr || !returns_fit(schema, target, form->variant)) return std::nullopt;
  Binding binding(schema, target, given);
  if (declared == Variant::kOut && !binding.bind_out(form->spare, out_is)) return std::nullopt;
  if (!binding.bind_by_name() || !binding.bind_by_position() || !binding.note_lacking(*form))
    return std::nullopt;
  // An in-place form must write what the operator writes.
  if (declared == Variant::kInPlace && !binding.writes_self()) return std::nullopt;

  Plan plan;
  plan.op = &op;
  plan.overload = static_cast<std::uint8_t>(overload);
  plan.variant = form->variant;
  plan.handle = handle;
  plan.returns_nothing = schema.returns().empty();
  if (schema.returns().size() > 1) plan.judged = target.judged;
  std::move(binding).fill(plan);
  return plan;
}

}  // namespace

std::string schema_text(const c10::FunctionSchema& schema) {
  std::ostringstream text;
  text << schema;
  return text.str();
}

std::optional<Variant> declared_variant(const c10::FunctionSchema& schema,
                                        std::span<const ValueTerms> given) {
  const std::vector<std::size_t> written = written_arguments(schema, given);
  if (written.empty()) return Variant::kFunctional;
  if (written.size() > 1) {
    const bool are_named = std::ranges::all_of(
        written, [&](std::size_t i) { return schema.arguments()[i].kwarg_only(); });
    return are_named ? std::optional(Variant::kOut) : std::nullopt;
  }
  const c10::Argument& argument = schema.arguments()[written.front()];
  const bool is_last = written.front() + 1 == schema.arguments().size();
  if (argument.name() == "out" || (is_last && argument.kwarg_only())) return Variant::kOut;
  if (written.front() == 0) return Variant::kInPlace;
  return std::nullopt;
}

std::optional<Plan> bind(const c10::OperatorHandle& handle, const OperatorInfo& op, int overload,
                         std::span<const ValueTerms> given) {
  return bind_as(handle, op, overload, given, OutIs::kOut);
}

std::optional<Plan> bind_out_to_self(const c10::OperatorHandle& handle, const OperatorInfo& op,
                                     int overload, std::span<const ValueTerms> given) {
  return bind_as(handle, op, overload, given, OutIs::kSelf);
}

bool passes_self_as_out(const Form& form) {
  return form.variant == Variant::kInPlace && !form.aten_name.ends_with('_');
}

std::vector<Plan> bind(const c10::OperatorHandle& handle, const OperatorInfo& op,
                       std::span<const ValueTerms> given) {
  std::vector<Plan> best;
  for (std::size_t i = 0; i < op.overloads.size(); ++i) {
    std::optional<Plan> plan = bind(handle, op, static_cast<int>(i), given);
    if (!plan) continue;
    if (!best.empty() && plan->lacking.size() < best.front().lacking.size()) best.clear();
    if (best.empty() || plan->lacking.size() == best.front().lacking.size())
      best.push_back(std::move(*plan));
  }
  return best;
}

std::optional<c10::OperatorHandle> aten_handle(const Form& form) {
  return c10::Dispatcher::singleton().findSchema(
      {"aten::" + std::string(form.aten_name), std::string(form.aten_overload)});
}

std::string expected_schemas(const OperatorInfo& op, std::optional<Variant> variant) {
  std::string text;
  for (const Overload& overload : op.overloads) {
    for (const Form& form : overload.forms) {
      if (variant && form.variant != *variant) continue;
      const auto handle = aten_handle(form);
      if (!handle) continue;
      const std::string schema = schema_text(handle->schema());
      if (text.find(schema) != std::string::npos) continue;
      if (!text.empty()) text += ", or ";
      text += schema;
    }
  }
  return text;
}

}  // namespace indexfuzz
