#include "shrink/arbitrary.h"

#include <ostream>
#include <utility>

#include "ops/definition/operator.h"
#include "ops/text/case_text.h"
#include "shrink/shrink.h"

namespace indexfuzz {

rc::Gen<Case> arbitrary_case(std::vector<Target> targets, const Limits& limits) {
  return rc::Gen<Case>([targets = std::move(targets), limits](const rc::Random& random, int) {
    // Choices draws from a copy: the caller may still split its own.
    Choices choices(random);
    Case c;
    draw(choices, targets, limits, c);
    return rc::shrinkable::shrinkRecur(std::move(c), [limits](const Case& failing) {
      return rc::seq::fromContainer(shrink_candidates(failing, limits));
    });
  });
}

void showValue(const Case& c, std::ostream& out) {
  out << to_text(c);
}

}  // namespace indexfuzz

rc::Gen<indexfuzz::Case> rc::Arbitrary<indexfuzz::Case>::arbitrary() {
  using namespace indexfuzz;
  return arbitrary_case(all_targets(), Limits{});
}
