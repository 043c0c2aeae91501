#pragma once
// Which implementations run a case of a campaign.

#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <cstdint>

#include "run/narrowing.h"
#include "run/session.h"

namespace indexfuzz {

using Chosen = boost::container::static_vector<std::size_t, kMaxImplementations>;

/// Where an implementation's operands lie.
enum class Where : std::uint8_t { kHost, kDevice };

/// Those there that have the form and are not known to refuse these dtypes or the like of the case,
/// or to fail on it; the others are counted. `key`: support_key of the case.
void choose(Session& session, std::uint64_t number, const Case& c, std::uint64_t key, Where where,
            Chosen& chosen);

/// Whether someone on a GPU has the case's form and is not known to refuse the like of it, as far
/// as `known` goes. For any thread.
bool is_wanted_on_devices(const Session& session, const Narrowings& known, std::uint64_t number,
                          const Case& c);
/// Counts for all on GPUs that nobody of them wanted the case.
void count_unwanted(Session& session, std::uint64_t number, const Case& c);

/// Whether someone on the CPU has the case's form and is not known to refuse it.
bool is_taken(Session& session, const Case& c);

/// Learns from a call of a legal case which dtypes an implementation supports.
void note_support(Session& session, std::size_t implementation, std::uint64_t key, Outcome outcome,
                  Status status);
/// Counts an illegal case that an implementation is not called on, since it did not take the legal
/// base: it lacks the dtype, or narrows itself.
void note_refused_base(Session& session, std::size_t implementation, const Case& named,
                       std::uint64_t key, Outcome outcome);

}  // namespace indexfuzz
