#include "draw/target.h"

namespace indexfuzz {

std::vector<Target> targets_of(const OperatorInfo& op) {
  std::vector<Target> targets;
  for (std::size_t o = 0; o < op.overloads.size(); ++o) {
    for (const Form& form : op.overloads[o].forms)
      targets.push_back({op.number, static_cast<std::uint8_t>(o), form.variant});
  }
  return targets;
}

std::vector<Target> all_targets() {
  std::vector<Target> targets;
  for (const OperatorInfo* op : operators()) {
    for (const Target& target : targets_of(*op)) targets.push_back(target);
  }
  return targets;
}

}  // namespace indexfuzz
