#pragma once
// One case of a campaign through everyone who has its form, whichever engine drew it.

#include <boost/container/static_vector.hpp>

#include <cstdint>
#include <functional>

#include "run/session.h"

namespace indexfuzz {

/// After as many cases, what is too slow to be looked at after each of them is looked at.
inline constexpr std::uint64_t kBatch = 256;

/// How one call of a case ended.
struct CallOutcome {
  std::uint8_t implementation;
  Outcome outcome;
  Status status;
  Kind kind;                  ///< of a finding
  std::uint32_t error_class;  ///< of a finding with a message, else 0
};
using CallOutcomes = boost::container::static_vector<CallOutcome, kMaxImplementations>;

/// Whether a case showed what further ones may be made from: something was verified, which leaves
/// out a case that nobody supports and an empty one, and nothing failed, since what is near a
/// failing case is mostly the same failure.
bool is_worth_keeping(const CallOutcomes& outcomes);

/// Runs case `number` through everyone who has its form, judges and counts; a new failure is handed
/// to the supervisor, for which this waits. `broken` is room for an illegal case.
void judge_one(Session& session, std::uint64_t number, const Case& drawn, RunnableCase& broken,
               CallOutcomes& outcomes);

/// Gives a case that was judged before once more.
using CaseByNumber = std::function<void(std::uint64_t number, Case& c)>;

/// Looks at the whole memory and at the global state behind the cases [first, end); a write far
/// outside an output is pinned to its case by running all of them again.
void end_batch(Session& session, std::uint64_t first, std::uint64_t end,
               const CaseByNumber& case_by_number);

/// Whether the supervisor asks for the end or is gone.
bool must_end(const Session& session);

}  // namespace indexfuzz
