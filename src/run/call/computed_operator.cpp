#include "run/call/computed_operator.h"

#include <ATen/core/function_schema.h>

#include <algorithm>
#include <optional>

#include "run/call/call_text.h"
#include "run/call/plan.h"

namespace indexfuzz {
namespace {

using Operators = std::span<const OperatorInfo* const>;
using Handles = std::vector<c10::OperatorHandle>;
using Given = std::span<const ValueTerms>;

enum class Fit : std::uint8_t { kNone, kLacking, kWhole };

/// How well the schema that fits best fits.
Fit fit_of(const Handles& handles, const OperatorInfo& op, Given given) {
  Fit best = Fit::kNone;
  for (const c10::OperatorHandle& handle : handles) {
    for (const Plan& plan : bind(handle, op, given))
      best = std::max(best, plan.lacking.empty() ? Fit::kWhole : Fit::kLacking);
  }
  return best;
}

/// The candidates that some of the schemas fit; if some fit whole, only those.
std::vector<const OperatorInfo*> fitting(const Handles& handles, Operators candidates,
                                         Given given) {
  std::vector<const OperatorInfo*> whole, lacking;
  for (const OperatorInfo* op : candidates) {
    switch (fit_of(handles, *op, given)) {
      case Fit::kNone: break;
      case Fit::kLacking: lacking.push_back(op); break;
      case Fit::kWhole: whole.push_back(op); break;
    }
  }
  return whole.empty() ? lacking : whole;
}

/// The operator that a kernel's name denotes: its own name, that with a trailing _ or, unless
/// `whole`, the longest name that it begins with; null for none.
const OperatorInfo* named_operator(std::string_view kernel, Operators candidates, bool whole) {
  const OperatorInfo* best = nullptr;
  for (const OperatorInfo* op : candidates) {
    const bool says = kernel == op->name || kernel == std::string(op->name) + "_" ||
                      (!whole && kernel.starts_with(op->name));
    if (says && (best == nullptr || op->name.size() > best->name.size())) best = op;
  }
  return best;
}

std::string does_not_fit(const std::string& name, const Handles& found, Operators expected) {
  std::vector<std::string> schemas;
  for (const c10::OperatorHandle& handle : found) schemas.push_back(schema_text(handle.schema()));
  std::string text = name + " is registered as " + join(schemas, " and ");
  const OperatorInfo* wanted =
      expected.size() == 1 ? expected[0] : named_operator(parse_name(name).name, expected, false);
  if (wanted == nullptr) {
    return text + ", which fits none of " + names_of(expected) +
           ": give it the arguments and the result of the ATen operator, or name the operator it "
           "computes";
  }
  std::optional<Variant> variant = declared_variant(found.front().schema());
  if (!variant) {
    return text + ", which writes more than its first argument or an `out`: expected " +
           expected_schemas(*wanted, std::nullopt) + "; annotate as (a!) only what " +
           std::string(wanted->name) + " writes";
  }
  std::string schemas_wanted = expected_schemas(*wanted, variant);
  if (schemas_wanted.empty()) schemas_wanted = expected_schemas(*wanted, std::nullopt);
  return text + ", which does not fit " + std::string(wanted->name) + ": expected " +
         schemas_wanted +
         "; it needs this result and these arguments, by name, or by position and type (those with "
         "a default may be left out, and any others it has need one, or a value in a contract)";
}

}  // namespace

std::string names_of(std::span<const OperatorInfo* const> list) {
  std::vector<std::string> names;
  for (const OperatorInfo* op : list) names.emplace_back(op->name);
  return join(names, ", ");
}

std::string not_requested(const std::string& name, const std::string& what, Operators requested) {
  return name + " " + what + ", but only " + names_of(requested) +
         (requested.size() == 1 ? " is" : " are") +
         " tested here: leave it out, or test that operator as well";
}

std::string find_computed(const std::string& name, const KernelName& parsed, const Handles& handles,
                          Operators requested, const OperatorInfo*& op, Given given,
                          std::string_view to_name) {
  op = named_operator(parsed.name, operators(), true);
  if (op != nullptr && std::find(requested.begin(), requested.end(), op) == requested.end()) {
    return not_requested(name, "is " + std::string(op->name) + " by its name", requested);
  }
  if (op != nullptr) {
    if (fitting(handles, std::span(&op, 1), given).empty())
      return does_not_fit(name, handles, std::span(&op, 1));
  } else {
    const std::vector<const OperatorInfo*> fits = fitting(handles, requested, given);
    if (fits.empty()) return does_not_fit(name, handles, requested);
    op = fits.size() == 1 ? fits[0] : named_operator(parsed.name, fits, false);
    if (op == nullptr) {
      return name + " fits " + names_of(fits) + ": name " + std::string(to_name);
    }
    // Hardly the operator that was meant, if the name says another one that fits better.
    const OperatorInfo* const said = named_operator(parsed.name, operators(), false);
    if (said != nullptr && said != op &&
        fit_of(handles, *op, given) < fit_of(handles, *said, given))
      return does_not_fit(name, handles, std::span(&op, 1));
  }
  return {};
}

}  // namespace indexfuzz
