#include "case/fill.h"

#include <algorithm>
#include <iterator>

namespace indexfuzz {

std::string_view name(FillKind kind) {
  const auto known = std::ranges::find(kFills, kind, &FillInfo::kind);
  return known != std::end(kFills) ? known->name : "unknown";
}

std::optional<FillKind> fill_from_name(std::string_view name) {
  const auto known = std::ranges::find(kFills, name, &FillInfo::name);
  return known != std::end(kFills) ? std::optional(known->kind) : std::nullopt;
}

}  // namespace indexfuzz
