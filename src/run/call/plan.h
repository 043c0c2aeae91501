#pragma once
// How one operator of the dispatcher is called for the cases of one (overload, variant).

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "case/case.h"
#include "case/contract.h"
#include "ops/definition/operator.h"

namespace indexfuzz {

/// Where one argument of a schema comes from.
struct Argument {
  enum class Source : std::uint8_t {
    kOperand,        ///< operand `slot` of the case
    kScalar,         ///< the number that operand `slot` of the case is
    kOperandList,    ///< all operands from `slot` on, except `out`
    kAttribute,      ///< attribute `slot` of the case
    kAttributeList,  ///< `count` attributes of the case from `slot` on, the last one `times` times
    kResultShape,    ///< the shape of the result
    kOut,            ///< the `out` operand
    kNothing,        ///< `constant`, which is False or None
    kConstant,       ///< `constant`, which is the argument's default
    kGiven,          ///< `constant`, which a contract gives
    kZeros,          ///< `zeros`, which a contract gives
    kSpareOut,       ///< an empty tensor, of the dtype of operand 0 or of int64
  } source = Source::kConstant;
  /// The type by which the schema takes an attribute or a number.
  enum class As : std::uint8_t { kInt, kBool, kDouble, kNumber, kString, kInts } as = As::kInt;
  std::uint8_t slot = 0, count = 1;
  std::uint8_t times = 1;          ///< of a kAttributeList, as Parameter has it
  bool takes_none = true;          ///< whether an attribute, or an element of a list, may be None
  bool has_dtype_of_self = false;  ///< of a kSpareOut
  c10::IValue constant;
  Zeros zeros;
  std::vector<c10::IValue> choices;  ///< of a kChoice attribute, made once; kUnknownChoice last
};

/// An argument of ATen's that a schema lacks. Only cases that have ATen's default for it are run
/// or, if a contract gives it one value, those with that value.
struct LackingArgument {
  Argument argument;
  c10::IValue by_default;
};

/// How a schema is called. `arguments` has one entry per argument of the schema, in its order.
struct Plan {
  const OperatorInfo* op = nullptr;
  std::uint8_t overload = 0;  ///< index into op->overloads
  Variant variant = Variant::kFunctional;
  std::optional<c10::OperatorHandle> handle;
  std::vector<Argument> arguments;
  std::vector<LackingArgument> lacking;
  /// Skips ATen's autograd layer, which without gradients only passes the call on; a custom kernel
  /// may be registered in it.
  bool below_autograd = false;
  bool returns_nothing = false;  ///< `-> ()`, in place and out= only
  /// Of several results the one that is judged; the others are ignored.
  std::optional<std::size_t> judged;
  std::string python;  ///< the call as a template, see Form
  std::string cpp;
};

/// A schema as PyTorch writes it: "mine::gather(Tensor self, int dim, Tensor index) -> Tensor".
std::string schema_text(const c10::FunctionSchema& schema);

/// The variant that a schema's alias annotations declare. None if it writes anything but its first
/// argument, one `out` or several that are passed by name alone, or an argument whose value a
/// contract gives.
std::optional<Variant> declared_variant(const c10::FunctionSchema& schema,
                                        std::span<const ValueTerms> given = {});

/// Binds a schema's arguments to an overload's parameters: by name first, then by position and
/// type. None if they do not fit. The schema may lack parameters to which ATen gives a default.
/// `given`: a contract's values. If it has a single one for a lacking parameter, that replaces
/// ATen's default; an argument that ATen does not have is passed the first one. Leaves the plan's
/// call templates empty.
std::optional<Plan> bind(const c10::OperatorHandle& handle, const OperatorInfo& op, int overload,
                         std::span<const ValueTerms> given = {});
/// As bind(), for a schema with an `out` that is passed self: binds it to the in-place form.
std::optional<Plan> bind_out_to_self(const c10::OperatorHandle& handle, const OperatorInfo& op,
                                     int overload, std::span<const ValueTerms> given = {});
/// Whether ATen has no operator of its own for this in-place form, and the form calls one with self
/// as `out` instead.
bool passes_self_as_out(const Form& form);

/// Binds the schema to every overload that fits with the fewest lacking arguments.
std::vector<Plan> bind(const c10::OperatorHandle& handle, const OperatorInfo& op,
                       std::span<const ValueTerms> given = {});

/// The operator under which ATen registers a form; none if this LibTorch lacks it.
std::optional<c10::OperatorHandle> aten_handle(const Form& form);

/// The ATen schemas of an operator's forms, for messages: those of one variant, or of all.
std::string expected_schemas(const OperatorInfo& op, std::optional<Variant> variant);

}  // namespace indexfuzz
