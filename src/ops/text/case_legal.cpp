// Whether a case is legal, and in words why not.

#include <fmt/format.h>

#include "ops/definition/illegal_rule.h"
#include "ops/definition/operator.h"
#include "ops/repair/repair.h"
#include "ops/text/case_text.h"

namespace indexfuzz {
namespace {

/// The limits of a case in a file: what guarded memory holds.
constexpr Limits widest() {
  Limits limits;
  limits.max_rank = kMaxDims;
  limits.max_list_entries = kMaxOperands;
  return limits;
}

std::string tuple(const Dims& dims) {
  return fmt::format("({})", fmt::join(dims, ", "));
}

std::string must_be(std::string_view field, const auto& is, const auto& legal) {
  return fmt::format("{} must be {}, not {}", field, legal, is);
}

/// Names the first field in which a dimension's layout differs from a legal one.
std::string dim_difference(std::size_t d, const DimLayout& is, const DimLayout& legal) {
  const std::string of = fmt::format(" of dimension {}", d);
  if (is.expanded != legal.expanded) {
    return fmt::format("dimension {} must {}be expanded", d, legal.expanded ? "" : "not ");
  }
  if (is.slides != legal.slides) return fmt::format("dimension {} must not slide", d);
  if (is.step != legal.step) return must_be("step" + of, is.step, legal.step);
  if (is.before != legal.before) return must_be("before" + of, is.before, legal.before);
  return must_be("after" + of, is.after, legal.after);
}

std::string difference(const Operand& is, const Operand& legal) {
  if (is.present != legal.present) return legal.present ? "it must be a tensor" : "it must be none";
  if (is.dtype != legal.dtype) {
    return must_be("its dtype", info(is.dtype).name, info(legal.dtype).name);
  }
  if (is.shape != legal.shape) return must_be("its shape", tuple(is.shape), tuple(legal.shape));
  if (is.layout.offset != legal.layout.offset) {
    return must_be("offset", is.layout.offset, legal.layout.offset);
  }
  for (std::size_t d = 0; d < std::min(is.layout.dims.size(), legal.layout.dims.size()); ++d) {
    if (is.layout.dims[d] != legal.layout.dims[d]) {
      return dim_difference(d, is.layout.dims[d], legal.layout.dims[d]);
    }
  }
  if (is.layout != legal.layout) return "its order of dimensions cannot be kept";
  if (is.slices != legal.slices) {
    return are_last(is.slices)
               ? "it cannot be the last slices of a larger tensor, which is for one that is "
                 "contiguous and reached by indices along dimension 0 alone"
               : "its slices cannot be so far apart";
  }
  if (is.guard != legal.guard) return "it cannot end at a page";
  if (is.on_host != legal.on_host) return "it cannot stay on the host";
  const FillFamily wanted = family(legal.fill.kind);
  if (wanted != FillFamily::kValue && family(is.fill.kind) != wanted) {
    return fmt::format("it holds {} and needs a fill for them, as fill={}; it has fill={}",
                       wanted == FillFamily::kIndex ? "indices" : "flags", name(plainest(wanted)),
                       name(is.fill.kind));
  }
  if (is.fill.kind != legal.fill.kind) {
    return fmt::format("it needs fill={} here, not fill={}", name(legal.fill.kind),
                       name(is.fill.kind));
  }
  if (is.fill.negatives != legal.fill.negatives) return "its negatives are not possible here";
  if (is.fill.repeats != legal.fill.repeats) {
    return must_be("repeats (as bits)", is.fill.repeats, legal.fill.repeats);
  }
  if (is.fill.seed != legal.fill.seed) return must_be("seed", is.fill.seed, legal.fill.seed);
  if (is.fill.popcount != legal.fill.popcount) {
    return must_be("popcount", is.fill.popcount, legal.fill.popcount);
  }
  return "it holds what only a broken rule may set";
}

}  // namespace

std::string why_illegal(const Case& c) {
  const OperatorInfo* op = find_operator(c.op);
  if (op == nullptr) return fmt::format("no operator has the number {}", c.op);
  if (c.overload >= op->overloads.size()) return fmt::format("{} has no such overload", op->name);
  if (find_form(op->overloads[c.overload], c.variant) == nullptr) {
    return fmt::format("{} has no {} variant", op->name, name(c.variant));
  }
  Case sound = c;
  sound.breaks = 0;
  Case legal = sound;
  // Whether `out` is to be resized follows from its shape.
  if (c.variant == Variant::kOut && !c.operands.empty()) legal.operands.back().own_shape = true;
  repair(legal, widest());
  if (!sound.operands.empty() && !legal.operands.empty())
    sound.operands.back().own_shape = legal.operands.back().own_shape;
  if (!(legal == sound)) {
    for (std::size_t a = 0; a < c.attributes.size(); ++a) {
      if (c.attributes[a] == legal.attributes[a]) continue;
      const auto specs = overload_of(c).attributes;
      if (a >= specs.size())
        return must_be("an unused attribute", c.attributes[a], legal.attributes[a]);
      return fmt::format("{} must be {}, not {}", specs[a].name,
                         attribute_text(specs[a], legal.attributes[a]),
                         attribute_text(specs[a], c.attributes[a]));
    }
    if (c.gpu != legal.gpu) return "other_streams=idle goes with stream=side";
    const std::size_t count = std::min(c.operands.size(), legal.operands.size());
    for (std::size_t k = 0; k < count; ++k) {
      if (c.operands[k] == legal.operands[k]) continue;
      return fmt::format("{}: {}", operand_name(legal, static_cast<int>(k)),
                         difference(c.operands[k], legal.operands[k]));
    }
    return must_be("the number of operands", c.operands.size(), legal.operands.size());
  }
  if (c.breaks == 0) return "";
  if (rule_of(c) == nullptr) return fmt::format("{} has no rule {}", op->name, c.breaks);
  sound.breaks = c.breaks;
  if (!apply_rule(sound)) {
    return fmt::format("the rule '{}' does not apply to it", rule_of(c)->name);
  }
  return "";
}

}  // namespace indexfuzz
