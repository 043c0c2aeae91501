#pragma once
// How one operator of the dispatcher is called for the cases of one (overload, variant).

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "case/case.h"
#include "ops/operator.h"

namespace indexfuzz {

/// Where one argument of a schema comes from.
struct Argument {
  enum class Source : std::uint8_t {
    kOperand,      ///< operand `slot` of the case
    kScalar,       ///< the number that operand `slot` of the case is
    kOperandList,  ///< all operands from `slot` on, but `out`
    kAttribute,    ///< attribute `slot` of the case
    kOut,          ///< the `out` operand
    kConstant,     ///< `constant`
  } source = Source::kConstant;
  /// What the schema takes an attribute or a number as.
  enum class As : std::uint8_t { kInt, kBool, kDouble, kNumber, kString } as = As::kInt;
  std::uint8_t slot = 0;
  bool takes_none = true;  ///< whether an attribute, or an element of a list, may be None
  c10::IValue constant;
  std::vector<c10::IValue> choices;  ///< those of a kChoice attribute, made once
};

/// What a schema lacks of ATen's: only cases run that have it as ATen has it by default.
struct LackingArgument {
  Argument argument;
  c10::IValue by_default;
};

/// One entry per argument of the schema, in its order.
struct Plan {
  const OperatorInfo* op = nullptr;
  std::uint8_t overload = 0;  ///< index into op->overloads
  Variant variant = Variant::kFunctional;
  std::optional<c10::OperatorHandle> handle;
  std::vector<Argument> arguments;
  std::vector<LackingArgument> lacking;
  /// Without gradients ATen's autograd layer only hands the call on; a custom kernel may be
  /// registered in it.
  bool below_autograd = false;
  bool returns_nothing = false;    ///< `-> ()`, in place and out= only
  bool first_result_only = false;  ///< what is returned beside it is not looked at
  std::string python;              ///< the call as a template, see Form
  std::string cpp;
};

/// A schema as PyTorch writes it: "mine::gather(Tensor self, int dim, Tensor index) -> Tensor".
std::string schema_text(const c10::FunctionSchema& schema);

/// The variant that a schema's alias annotations declare; none where it writes something else than
/// its first argument or an `out`.
std::optional<Variant> declared_variant(const c10::FunctionSchema& schema);

/// Binds a schema to an overload's parameters: by name first, then by position and type. Those that
/// ATen gives a default may be lacking. None where it does not fit. The plan's call templates are
/// left empty.
std::optional<Plan> bind(const c10::OperatorHandle& handle, const OperatorInfo& op, int overload);

/// Binds to each overload of the operator that fits, of which as little is lacking as can be.
std::vector<Plan> bind(const c10::OperatorHandle& handle, const OperatorInfo& op);

/// What ATen registers a form as; none where this LibTorch lacks it.
std::optional<c10::OperatorHandle> aten_handle(const Form& form);

/// The ATen schemas of an operator's forms, for messages: those of one variant, or of all.
std::string expected_schemas(const OperatorInfo& op, std::optional<Variant> variant);

}  // namespace indexfuzz
